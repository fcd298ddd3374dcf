"""Files of a run: adapters in the form of PEFT, and what training goes on from. All of them are safetensors and JSON."""

import json
import os
import shutil
from pathlib import Path

import torch
from peft import PeftModel, get_peft_model_state_dict, set_peft_model_state_dict
from safetensors.torch import load_file, save_file

WEIGHTS = "adapter_model.safetensors"
OPTIMIZER = "optimizer.safetensors"
STATE = "state.json"
MOMENTS = ("exp_avg", "exp_avg_sq")


def save_adapter(model: PeftModel, folder: Path) -> None:
    """Writes the adapter alone, in the form of PEFT."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: one.detach().float().cpu().contiguous() for name, one in get_peft_model_state_dict(model).items()}
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    config = model.peft_config["default"]
    config.base_model_name_or_path = None
    config.save_pretrained(folder)


def save(model: PeftModel, optimizer: torch.optim.AdamW, step: int, folder: Path) -> None:
    """Writes a checkpoint, whole or not at all."""
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    save_adapter(model, draft)
    moments = optimizer.state_dict()["state"]
    tensors = {f"{number}.{name}": one[name].cpu().contiguous() for number, one in moments.items() for name in MOMENTS}
    save_file(tensors, draft / OPTIMIZER)
    (draft / STATE).write_text(json.dumps({"step": step}))
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(draft, folder)


def load(model: PeftModel, optimizer: torch.optim.AdamW, folder: Path) -> int:
    """Puts a checkpoint back. Returns its step."""
    set_peft_model_state_dict(model, load_file(folder / WEIGHTS))
    step = int(json.loads((folder / STATE).read_text())["step"])
    tensors = load_file(folder / OPTIMIZER)
    found = optimizer.state_dict()
    numbers = sorted({int(name.split(".")[0]) for name in tensors})
    found["state"] = {
        number: {"step": torch.tensor(float(step)), **{name: tensors[f"{number}.{name}"] for name in MOMENTS}} for number in numbers
    }
    optimizer.load_state_dict(found)
    return step
