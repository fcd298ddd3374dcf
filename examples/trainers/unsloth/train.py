"""Unsloth as a trainer of Slipway. The base in the form of Hugging Face lies beside its GGUF, in a folder of the same name.

Where Unsloth cannot be imported, as on a machine without a GPU, PEFT loads the base, so that everything but its loader can be tried.
"""

import json
import os
import sys
import threading
from pathlib import Path

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments

try:
    from unsloth import FastLanguageModel
except (ImportError, NotImplementedError):
    FastLanguageModel = None

MODULES = {"attn_q": "q_proj", "attn_k": "k_proj", "attn_v": "v_proj", "attn_o": "o_proj", "ffn_gate": "gate_proj", "ffn_up": "up_proj", "ffn_down": "down_proj"}  # fmt: skip
command: str | None = None


def send(ev: str, **facts: object) -> None:
    """Events go to file descriptor 3: Unsloth prints to the others as it likes."""
    os.write(3, (json.dumps({"ev": ev, **facts}) + "\n").encode())


def read_commands() -> None:
    """The worker writes `pause` or `cancel`; the end of the pipe means that it is gone."""
    global command
    for line in sys.stdin:
        command = command or line.strip()
    os._exit(1)


def examples(name: str) -> list[dict[str, list[int]]]:
    """Tokens are those of serving, and only what is learned has a label. No chat template is used here."""
    found = []
    for line in Path(name).read_text().splitlines():
        given = json.loads(line)
        labels = [-100] * len(given["tokens"])
        for start, to in given["learn"]:
            labels[start:to] = given["tokens"][start:to]
        found.append({"input_ids": given["tokens"], "labels": labels, "attention_mask": [1] * len(labels)})
    return found


def collate(batch: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    longest = max(len(one["input_ids"]) for one in batch)
    pads = {"input_ids": 0, "labels": -100, "attention_mask": 0}
    return {name: torch.tensor([one[name] + [pad] * (longest - len(one[name])) for one in batch]) for name, pad in pads.items()}


def load(spec: dict) -> torch.nn.Module:
    """The base with a new adapter."""
    base = spec["base"].removesuffix(".gguf")
    modules = [MODULES[name] for name in spec["modules"]]
    shape = {"r": spec["rank"], "lora_alpha": spec["alpha"], "lora_dropout": 0, "bias": "none", "target_modules": modules}
    if FastLanguageModel:
        model, _ = FastLanguageModel.from_pretrained(base, max_seq_length=spec["tokens"], load_in_4bit=True)
        return FastLanguageModel.get_peft_model(model, **shape, random_state=spec["seed"], use_gradient_checkpointing="unsloth")
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(spec["seed"])
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, local_files_only=True)
    return get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **shape))


class Reports(TrainerCallback):
    """Events of the contract, from those of transformers."""

    def on_log(self, args, state, control, logs=None, **_):
        if "loss" in logs:
            facts = {"lr": logs["learning_rate"], "grad": float(logs["grad_norm"])}
            send("step", step=state.global_step, epoch=state.epoch, loss=logs["loss"], **facts)

    def on_evaluate(self, args, state, control, metrics=None, **_):
        send("eval", step=state.global_step, loss=metrics["eval_loss"])

    def on_save(self, args, state, control, **_):
        path = f"checkpoints/checkpoint-{state.global_step}"
        send("checkpoint", step=state.global_step, path=path, adapter=path)

    def on_step_end(self, args, state, control, **_):
        if command == "cancel":
            os._exit(0)
        control.should_training_stop = control.should_training_stop or command is not None
        control.should_save = control.should_save or command == "pause"


class InOrder(Trainer):
    """Learns the lines of the file in their order, which the worker chose."""

    def _get_train_sampler(self, *_):
        return torch.utils.data.SequentialSampler(self.train_dataset)


def main() -> None:
    spec = json.loads(Path("spec.json").read_text())
    threading.Thread(target=read_commands, daemon=True).start()
    train, held = examples("train.tokens.jsonl"), examples("held.tokens.jsonl") if spec["held"] else None
    model = load(spec)
    on_gpu = torch.cuda.is_available()
    settings = TrainingArguments(
        output_dir="checkpoints",
        num_train_epochs=spec["epochs"],
        per_device_train_batch_size=1,
        gradient_accumulation_steps=spec["batch"],
        learning_rate=spec["rate"],
        lr_scheduler_type={"constant": "constant_with_warmup"}.get(spec["schedule"], spec["schedule"]),
        warmup_steps=1,
        logging_steps=1,
        save_steps=spec["checkpoint_steps"],
        eval_strategy="epoch" if held else "no",
        seed=spec["seed"],
        bf16=on_gpu,
        use_cpu=not on_gpu,
        report_to=[],
        disable_tqdm=True,
    )
    trainer = InOrder(model=model, args=settings, train_dataset=train, eval_dataset=held, data_collator=collate, callbacks=[Reports()])
    first = {key: value.to(trainer.model.device) for key, value in collate(train[:1]).items()}
    with torch.no_grad():
        send("ready", loss=trainer.model(**first).loss.item())
    trainer.train(resume_from_checkpoint="resume" if spec.get("resume") else None)
    if command is None:
        trainer.model.save_pretrained("out/adapter")
        send("saved", path="out/adapter")


main()
