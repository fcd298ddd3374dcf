"""Chooses where a run trains: in this process, in one for each GPU of this machine, or on a Ray cluster."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch

from .base import device_of
from .loop import train
from .pipe import EVENTS, Pipe
from .spec import Spec
from .team import ProcessTeam, Team

LOOK_SECONDS = 0.1
# Variables by which a process knows its place in the team of this machine.
RANK, SIZE, ADDRESS = "SLIPWAY_RANK", "SLIPWAY_SIZE", "SLIPWAY_ADDRESS"


class Silent:
    """The worker as all processes but the first one know it."""

    wants_pause = False

    def send(self, ev: str, **facts: Any) -> None:
        """Events are those of the first process; what ends another one goes into the log."""
        if ev == "failed":
            print(facts["code"].replace("_", " "), facts["message"], file=sys.stderr, flush=True)


def run(spec: Spec, pipe: Pipe) -> int:
    """Trains as the settings want it. Returns the exit code."""
    folder = Path.cwd()
    if RANK in os.environ:
        return _member(spec, pipe, folder)
    if spec.cluster:
        from .ray_cluster import train_on_cluster

        return train_on_cluster(spec, pipe, folder)
    count = spec.processes or max(1, torch.cuda.device_count())
    if count > 1:
        return _lead(count, pipe)
    train(spec, pipe, Team(), folder)
    return 0


def _member(spec: Spec, pipe: Pipe, folder: Path) -> int:
    rank, size = int(os.environ[RANK]), int(os.environ[SIZE])
    team = ProcessTeam(rank, size, os.environ[ADDRESS], device_of(rank))
    try:
        train(spec, pipe if rank == 0 else Silent(), team, folder, rank)
    finally:
        team.close()
    return 0


def _lead(count: int, pipe: Pipe) -> int:
    """Starts one process for each device, and passes a pause on to the first one, which reports by itself. None outlives this one,
    whose end closes their standard input; and none outlives another one that failed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    members = [_start(rank, {RANK: str(rank), SIZE: str(count), ADDRESS: address}) for rank in range(count)]
    is_told = False
    while True:
        codes = [member.poll() for member in members]
        failed = next((code for code in codes if code not in (None, 0)), None)
        if failed is not None or all(code == 0 for code in codes):
            break
        if pipe.wants_pause and not is_told:
            is_told = True
            _pause(members[0])
        time.sleep(LOOK_SECONDS)
    for member in members:
        member.kill()
    return 0 if failed is None else 1


def _start(rank: int, place: dict[str, str]) -> "subprocess.Popen[bytes]":
    events = (EVENTS,) if rank == 0 else ()
    return subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, **place}, stdin=subprocess.PIPE, pass_fds=events)


def _pause(member: "subprocess.Popen[bytes]") -> None:
    try:
        if member.stdin:
            member.stdin.write(b"pause\n")
            member.stdin.flush()
    except BrokenPipeError:
        pass  # It has ended, which the next look shows.
