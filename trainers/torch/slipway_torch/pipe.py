"""How a trainer speaks with its worker: events on file descriptor 3, commands on standard input."""

import json
import os
import sys
import threading
from typing import Any, Protocol

EVENTS = 3


class Worker(Protocol):
    """Takes the events of a run, and says what it is told to do."""

    def send(self, ev: str, **facts: Any) -> None: ...

    @property
    def wants_pause(self) -> bool: ...


class Pipe:
    """The worker that started this process. The process ends with it, and at a cancel at once: nothing of it is kept."""

    def __init__(self) -> None:
        self._wants_pause = False
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def wants_pause(self) -> bool:
        return self._wants_pause

    def send(self, ev: str, **facts: Any) -> None:
        """Writes one event. Numbers that are none become null."""
        clean = {name: None if isinstance(value, float) and value - value != 0 else value for name, value in facts.items()}
        os.write(EVENTS, (json.dumps({"ev": ev, **clean}) + "\n").encode())

    def _read(self) -> None:
        for line in sys.stdin:
            if line.strip() == "cancel":
                os._exit(0)
            self._wants_pause = self._wants_pause or line.strip() == "pause"
        os._exit(1)
