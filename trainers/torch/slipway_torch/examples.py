"""Prepared examples: tokens, and which of them are learned. The worker rendered them as it serves; no template is here."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sequence:
    """Tokens of one conversation, to the end of its last answer."""

    tokens: list[int]
    learned: list[tuple[int, int]]
    """From and to, of the tokens that are learned."""

    @property
    def count(self) -> int:
        return sum(to - start for start, to in self.learned)


@dataclass(frozen=True)
class Example:
    """A conversation, or the better and the worse answer to one."""

    chosen: Sequence
    rejected: Sequence | None


def _sequence(given: dict) -> Sequence:
    return Sequence(given["tokens"], [(start, to) for start, to in given["learn"]])


class Examples:
    """The lines of a file, which are read as they are needed: no more than one step of them is in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: list[int] = []
        with path.open("rb") as file:
            at = 0
            for line in file:
                if line.strip():
                    self._places.append(at)
                at += len(line)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> Example:
        with self._path.open("rb") as file:
            file.seek(self._places[number])
            given = json.loads(file.readline())
        rejected = given.get("rejected")
        return Example(_sequence(given), _sequence(rejected) if rejected else None)
