"""What is learned: answers, or the preference of one answer to another."""

from dataclasses import dataclass, field
from typing import Protocol

import torch
from peft import PeftModel
from torch.nn import functional

from .examples import Example, Sequence


@dataclass
class Figures:
    """Sums over examples, which add up over steps, parts of steps and processes."""

    loss: float = 0.0
    weight: float = 0.0
    """What `loss` is divided by: tokens, or pairs."""
    right: float = 0.0
    margin: float = 0.0
    tokens: int = 0

    def add(self, other: "Figures") -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def mean(self) -> float:
        return self.loss / self.weight if self.weight else 0.0

    @property
    def accuracy(self) -> float:
        return self.right / self.weight if self.weight else 0.0


@dataclass
class Answers:
    """Log probabilities of the learned tokens of a few sequences, and how many of them are the likeliest."""

    sums: torch.Tensor
    """By sequence."""
    right: torch.Tensor
    counts: list[int]


def answers(model: PeftModel, sequences: list[Sequence], device: torch.device) -> Answers:
    """Scores sequences together. Scores of words are made for learned tokens alone: for all they would take most of the memory."""
    longest = max(len(one.tokens) for one in sequences)
    ids = torch.zeros((len(sequences), longest), dtype=torch.long)
    mask = torch.zeros_like(ids)
    learned = torch.zeros((len(sequences), longest - 1), dtype=torch.bool)
    for row, one in enumerate(sequences):
        ids[row, : len(one.tokens)] = torch.tensor(one.tokens)
        mask[row, : len(one.tokens)] = 1
        for start, to in one.learned:
            learned[row, max(start, 1) - 1 : to - 1] = True
    ids, mask, learned = ids.to(device), mask.to(device), learned.to(device)
    base = model.get_base_model()
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        states = base.get_decoder()(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        scores = base.get_output_embeddings()(states[:, :-1][learned])
    wanted = ids[:, 1:][learned]
    found = torch.log_softmax(scores.float(), dim=-1)
    logprobs = found.gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    rows = learned.nonzero()[:, 0]
    zeros = torch.zeros(len(sequences), device=device)
    sums = zeros.index_add(0, rows, logprobs)
    right = zeros.index_add(0, rows, (found.argmax(-1) == wanted).float())
    return Answers(sums, right, [one.count for one in sequences])


class Objective(Protocol):
    """A way to learn from examples."""

    def weight(self, example: Example) -> int:
        """How much an example counts in the mean of a step."""
        ...

    def score(self, model: PeftModel, numbers: list[int], examples: list[Example], device: torch.device) -> tuple[torch.Tensor, Figures]:
        """The summed loss of some examples, and its figures. `numbers` name the examples within their file."""
        ...


class LearnAnswers:
    """The likelihood of the learned tokens, each of which counts the same."""

    def weight(self, example: Example) -> int:
        return example.chosen.count

    def score(self, model: PeftModel, numbers: list[int], examples: list[Example], device: torch.device) -> tuple[torch.Tensor, Figures]:
        found = answers(model, [one.chosen for one in examples], device)
        loss = -found.sums.sum()
        tokens = sum(found.counts)
        return loss, Figures(loss.item(), tokens, found.right.sum().item(), 0.0, tokens)


@dataclass
class LearnPreferences:
    """Direct preference optimization (Rafailov et al., 2023): the chosen answer shall gain on the rejected one, beside the base.

    The reference is the base without its adapter; what it thinks of an example is computed once.
    """

    beta: float
    _known: dict[int, torch.Tensor] = field(default_factory=dict)

    def weight(self, example: Example) -> int:
        return 1

    def score(self, model: PeftModel, numbers: list[int], examples: list[Example], device: torch.device) -> tuple[torch.Tensor, Figures]:
        sequences = [one.chosen for one in examples] + [one.rejected for one in examples if one.rejected]
        reference = self._reference(model, numbers, sequences, device)
        found = answers(model, sequences, device)
        gain = (found.sums - reference).view(2, len(examples))
        margins = self.beta * (gain[0] - gain[1])
        loss = -functional.logsigmoid(margins).sum()
        tokens = sum(found.counts)
        return loss, Figures(loss.item(), len(examples), (margins > 0).sum().item(), margins.sum().item(), tokens)

    def _reference(self, model: PeftModel, numbers: list[int], sequences: list[Sequence], device: torch.device) -> torch.Tensor:
        if any(number not in self._known for number in numbers):
            with torch.no_grad(), model.disable_adapter():
                pairs = answers(model, sequences, device).sums.view(2, len(numbers))
            for at, number in enumerate(numbers):
                self._known[number] = pairs[:, at].cpu()
        return torch.stack([self._known[number] for number in numbers], dim=1).flatten().to(device)
