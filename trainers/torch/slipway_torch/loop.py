"""The training itself: steps, measurements, checkpoints and the end."""

import math
from collections.abc import Callable
from pathlib import Path

import torch

from . import checkpoints
from .base import Unusable, device_of, load, trained
from .examples import Example, Examples
from .losses import Figures, LearnAnswers, LearnPreferences, Objective
from .pipe import Worker
from .spec import Spec
from .team import Team

GRADIENT_NORM = 1.0
ADAPTER = Path("out/adapter")
# Examples whose scores are computed together where there is the memory for it.
TOGETHER = {"cuda": 16, "cpu": 1}


class Diverged(Exception):
    """A loss that is no number any more."""


def rate_at(spec: Spec, step: int, steps: int) -> float:
    """The learning rate of a step, which counts from 1."""
    rising = math.ceil(spec.warmup * steps)
    if step <= rising:
        return spec.rate * step / rising
    if spec.schedule == "constant":
        return spec.rate
    done = (step - rising) / max(1, steps - rising)
    share = 0.5 * (1 + math.cos(math.pi * done)) if spec.schedule == "cosine" else 1 - done
    return max(spec.least_rate, spec.least_rate + (spec.rate - spec.least_rate) * share)


class Training:
    """One run, as one of the processes of its team does it. The first one reports and writes files."""

    def __init__(self, spec: Spec, worker: Worker, team: Team, folder: Path, local_rank: int = 0) -> None:
        torch.set_num_threads(spec.threads)
        # Kernels of attention are deterministic only where this is an error otherwise; a run goes on from a checkpoint as it would have.
        torch.use_deterministic_algorithms(True)
        self.spec, self.worker, self.team, self.folder = spec, worker, team, folder
        self.device = device_of(local_rank)
        self.together = TOGETHER[self.device.type]
        self.examples = Examples(folder / "train.tokens.jsonl")
        self.held = Examples(folder / "held.tokens.jsonl") if spec.held else None
        self.per_epoch = math.ceil(len(self.examples) / spec.batch)
        self.steps = self.per_epoch * spec.epochs
        self.model, how = load(spec, self.device)
        self.parameters = trained(self.model)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=spec.rate, weight_decay=0.0)
        self.objective = self._objective()
        self.measured = self._objective()
        if team.rank == 0:
            print(f"{len(self.examples)} examples, {self.steps} steps, {team.size} processes, {self.device}, base in {how}", flush=True)

    def run(self) -> None:
        """Trains until the end, or to a pause. Raises Diverged."""
        done = checkpoints.load(self.model, self.optimizer, self.folder / self.spec.resume.path) if self.spec.resume else 0
        self._send("ready", **({} if done else {"loss": self._first_loss()}))
        stored = done
        for step in range(done + 1, self.steps + 1):
            if self.team.agree(self.worker.wants_pause):
                if stored != step - 1:
                    self._checkpoint(step - 1)
                return
            self._report(step, *self._step(step))
            if step % self.per_epoch == 0 and self.held:
                self._measure(step)
            if step % self.spec.checkpoint_steps == 0 or step == self.steps:
                self._checkpoint(step)
                stored = step
        if self.team.rank == 0:
            checkpoints.save_adapter(self.model, self.folder / ADAPTER)
        self._send("saved", path=str(ADAPTER))

    def _objective(self) -> Objective:
        return LearnPreferences(self.spec.beta) if self.spec.method == "dpo" else LearnAnswers()

    def _send(self, ev: str, **facts: object) -> None:
        if self.team.rank == 0:
            self.worker.send(ev, **facts)

    def _first_loss(self) -> float:
        """The loss of the first answer on the base, which the worker compares with that of the serving engine."""
        with torch.no_grad():
            return LearnAnswers().score(self.model, [0], [self.examples[0]], self.device)[1].mean

    def _step(self, step: int) -> tuple[Figures, float, float]:
        at = (step - 1) % self.per_epoch * self.spec.batch
        numbers = list(range(at, min(at + self.spec.batch, len(self.examples))))
        batch = [self.examples[number] for number in numbers]
        weight = sum(self.objective.weight(one) for one in batch)
        mine = [place for place in range(len(batch)) if place % self.team.size == self.team.rank]
        figures = self._with_memory(lambda: self._learn([numbers[at] for at in mine], [batch[at] for at in mine], weight))
        self.team.add_gradients(self.parameters)
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, GRADIENT_NORM)
        rate = rate_at(self.spec, step, self.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return self.team.add_figures(figures), rate, norm.item()

    def _learn(self, numbers: list[int], batch: list[Example], weight: float) -> Figures:
        self.optimizer.zero_grad(set_to_none=True)
        total = Figures()
        for at in range(0, len(batch), self.together):
            part = slice(at, at + self.together)
            loss, figures = self.objective.score(self.model, numbers[part], batch[part], self.device)
            (loss / weight).backward()
            total.add(figures)
        return total

    def _with_memory(self, work: Callable[[], Figures]) -> Figures:
        """Does it with fewer examples at once where the memory of the GPU is too small. The sums stay the same."""
        while True:
            try:
                return work()
            except torch.OutOfMemoryError:
                if self.together == 1:
                    raise
                self.together //= 2
            torch.cuda.empty_cache()

    def _report(self, step: int, figures: Figures, rate: float, norm: float) -> None:
        facts = {"margin": figures.margin / figures.weight, "accuracy": figures.accuracy} if self.spec.method == "dpo" else {}
        loss = figures.mean
        self._send("step", step=step, epoch=step / self.per_epoch, loss=loss, lr=rate, grad=norm, tokens=figures.tokens, **facts)
        if not math.isfinite(loss):
            raise Diverged

    def _measure(self, step: int) -> None:
        held = self.held
        if held is None:
            return
        total = Figures()
        with torch.no_grad():
            for number in range(self.team.rank, len(held), self.team.size):
                total.add(self.measured.score(self.model, [number], [held[number]], self.device)[1])
        total = self.team.add_figures(total)
        self._send("eval", step=step, loss=total.mean, accuracy=total.accuracy)

    def _checkpoint(self, step: int) -> None:
        if self.team.rank != 0:
            return
        path = Path("checkpoints") / str(step)
        (self.folder / "checkpoints").mkdir(exist_ok=True)
        checkpoints.save(self.model, self.optimizer, step, self.folder / path)
        self._send("checkpoint", step=step, path=str(path), adapter=str(path))


def train(spec: Spec, worker: Worker, team: Team, folder: Path, local_rank: int = 0) -> None:
    """Runs a training, and reports a fault as the contract wants it. Raises SystemExit after one."""
    try:
        Training(spec, worker, team, folder, local_rank).run()
    except (torch.OutOfMemoryError, MemoryError):
        fail(worker, "out_of_memory", "There is too little memory for this base, rank and length of examples.")
    except Diverged:
        fail(worker, "diverged", "The loss is not a number any more.")
    except Unusable as error:
        fail(worker, "trainer_failed", str(error))


def fail(worker: Worker, code: str, message: str) -> None:
    """Reports a fault and ends the process."""
    worker.send("failed", code=code, message=message)
    raise SystemExit(1)
