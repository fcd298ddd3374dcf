"""Processes that train one adapter together. Each learns a part of every step, and all have the same adapter after it."""

import torch
import torch.distributed as dist

from .losses import Figures

GROUP = ("gloo", "nccl")


class Team:
    """One process alone."""

    rank = 0
    size = 1

    def add_gradients(self, parameters: list[torch.nn.Parameter]) -> None:
        """Sums the gradients of all processes, in place."""

    def add_figures(self, figures: Figures) -> Figures:
        """The figures of all processes together."""
        return figures

    def agree(self, wants_pause: bool) -> bool:
        """What the first process was told: all of them stop at the same step."""
        return wants_pause

    def close(self) -> None:
        """Ends what connects the processes."""


class ProcessTeam(Team):
    """One of several processes, which reach the first one under an address."""

    def __init__(self, rank: int, size: int, address: str, device: torch.device) -> None:
        """`address` is `tcp://host:port`, on which the first process listens."""
        self.rank = rank
        self.size = size
        self.device = device
        dist.init_process_group(GROUP[device.type == "cuda"], init_method=address, rank=rank, world_size=size)

    def add_gradients(self, parameters: list[torch.nn.Parameter]) -> None:
        # In one piece: an adapter has hundreds of small matrices.
        flat = torch.cat([(one.grad if one.grad is not None else torch.zeros_like(one)).flatten() for one in parameters])
        dist.all_reduce(flat)
        at = 0
        for one in parameters:
            one.grad = flat[at : at + one.numel()].view_as(one).clone()
            at += one.numel()

    def add_figures(self, figures: Figures) -> Figures:
        names = list(figures.__dataclass_fields__)
        sums = torch.tensor([float(getattr(figures, name)) for name in names], dtype=torch.float64, device=self.device)
        dist.all_reduce(sums)
        total = Figures(**dict(zip(names, sums.tolist())))
        total.tokens = int(total.tokens)
        return total

    def agree(self, wants_pause: bool) -> bool:
        word = torch.tensor([int(wants_pause)], device=self.device)
        dist.broadcast(word, 0)
        return bool(word.item())

    def close(self) -> None:
        dist.destroy_process_group()
