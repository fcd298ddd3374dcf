"""Loads a base and puts an adapter on it. Only files in the form of safetensors are read, and no code that comes with a model."""

import json
import math
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM
from transformers.utils import logging

from .spec import Spec

# Sixteen bits for each number of the base, and room for activations, adapter and optimizer beside them.
BYTES_PER_NUMBER = 2
ROOM = 1.3


class Unusable(Exception):
    """What the operator must change, in one sentence."""


def device_of(local_rank: int) -> torch.device:
    """The device of one process: a GPU of its own where there is one."""
    if torch.cuda.is_available():
        return torch.device("cuda", local_rank % torch.cuda.device_count())
    return torch.device("cpu")


def weight_bytes(folder: Path) -> int:
    """Bytes of the base with sixteen bits for each number."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise Unusable("The folder of the base has no weights in the form of safetensors.")
    numbers = 0
    for path in files:
        with path.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        numbers += sum(math.prod(one["shape"]) for name, one in header.items() if name != "__metadata__")
    return numbers * BYTES_PER_NUMBER


def _four_bits() -> object:
    """The settings of a base with four bits for each number. Raises Unusable where it cannot be loaded so."""
    from transformers import BitsAndBytesConfig
    from transformers.utils import is_bitsandbytes_available

    if not is_bitsandbytes_available():
        raise Unusable("The base does not fit into the memory of the GPU, and bitsandbytes, which loads it with four bits, is not installed.")
    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=torch.bfloat16
    )


def load(spec: Spec, device: torch.device) -> tuple[PeftModel, str]:
    """The base with a new adapter, which is the same for the same seed, and how it was loaded: `fp32`, `bf16` or `nf4`."""
    folder = Path(spec.hf)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    options: dict = {"local_files_only": True, "use_safetensors": True, "trust_remote_code": False}
    how = "fp32"
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        how = "bf16" if weight_bytes(folder) * ROOM <= free else "nf4"
        options["device_map"] = {"": device}
        if how == "nf4":
            options["quantization_config"] = _four_bits()
    dtype = torch.float32 if how == "fp32" else torch.bfloat16
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, **options)
    base.config.use_cache = False
    if device.type == "cuda":
        base.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        base.enable_input_require_grads()
    torch.manual_seed(spec.seed)
    config = LoraConfig(
        r=spec.rank, lora_alpha=spec.alpha, lora_dropout=0.0, bias="none", target_modules=list(spec.modules), task_type="CAUSAL_LM"
    )
    model = get_peft_model(base, config)
    for parameter in trained(model):
        parameter.data = parameter.data.float()
    model.train()
    return model, how


def trained(model: PeftModel) -> list[torch.nn.Parameter]:
    """The numbers of the adapter."""
    return [parameter for parameter in model.parameters() if parameter.requires_grad]
