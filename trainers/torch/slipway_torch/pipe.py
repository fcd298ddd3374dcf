"""How a trainer speaks with its worker: events on file descriptor 3, commands on standard input."""

import json
import os
import sys
import threading
from typing import Any, Literal, Protocol

Command = Literal["pause", "cancel"]
EVENTS = 3
MESSAGE_CHARS = 500


class Worker(Protocol):
    """Takes the events of a run, and says what it is told to do."""

    def send(self, ev: str, **facts: Any) -> None: ...

    @property
    def command(self) -> Command | None: ...


class Pipe:
    """The worker that started this process. The process ends with it."""

    def __init__(self) -> None:
        self._command: Command | None = None
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def command(self) -> Command | None:
        """What was asked first; a cancel goes before a pause."""
        return self._command

    def send(self, ev: str, **facts: Any) -> None:
        """Writes one event. Numbers that are none become null."""
        clean = {name: None if isinstance(value, float) and value - value != 0 else value for name, value in facts.items()}
        os.write(EVENTS, (json.dumps({"ev": ev, **clean}) + "\n").encode())

    def _read(self) -> None:
        for line in sys.stdin:
            word = line.strip()
            if word == "cancel" or (word == "pause" and self._command is None):
                self._command = word
        os._exit(1)
