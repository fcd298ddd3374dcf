"""Settings of a run, as the worker resolved them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Method = Literal["sft", "dpo"]
Schedule = Literal["cosine", "linear", "constant"]

# Matrices by their names in GGUF and in the model classes of transformers.
MODULES = {
    "attn_q": "q_proj",
    "attn_k": "k_proj",
    "attn_v": "v_proj",
    "attn_o": "o_proj",
    "attn_output": "o_proj",
    "ffn_gate": "gate_proj",
    "ffn_up": "up_proj",
    "ffn_down": "down_proj",
}


@dataclass(frozen=True)
class Resume:
    """Where a run continues: after this step, from this folder."""

    step: int
    path: str


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster, and how many of its workers train."""

    address: str
    workers: int


@dataclass(frozen=True)
class Spec:
    """All of spec.json that this trainer reads."""

    hf: str
    """Folder of the base in the form of Hugging Face."""
    method: Method
    beta: float
    """Weight of the distance from the base in preference training."""
    held: bool
    rank: int
    alpha: float
    modules: tuple[str, ...]
    """Names of transformers."""
    rate: float
    least_rate: float
    schedule: Schedule
    warmup: float
    """Share of the steps in which the rate rises."""
    epochs: int
    batch: int
    """Examples of one step."""
    seed: int
    checkpoint_steps: int
    threads: int
    processes: int | None
    """Processes on this machine; None = one for each GPU, one without."""
    resume: Resume | None
    cluster: Cluster | None

    @staticmethod
    def read(path: Path) -> "Spec":
        """Raises KeyError for a file that lacks a setting."""
        given = json.loads(path.read_text())
        resume, cluster = given.get("resume"), given.get("cluster")
        return Spec(
            hf=given["hf"],
            method=given["method"],
            beta=given["beta"],
            held=given["held"],
            rank=given["rank"],
            alpha=given["alpha"],
            modules=tuple(sorted({MODULES[name] for name in given["modules"]})),
            rate=given["rate"],
            least_rate=given["least_rate"],
            schedule=given["schedule"],
            warmup=given["warmup"],
            epochs=given["epochs"],
            batch=given["batch"],
            seed=given["seed"],
            checkpoint_steps=given["checkpoint_steps"],
            threads=given["threads"],
            processes=given.get("processes"),
            resume=resume and Resume(resume["step"], resume["path"]),
            cluster=cluster and Cluster(cluster["address"], cluster["workers"]),
        )
