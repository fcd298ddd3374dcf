"""Trains on a Ray cluster: N processes on its nodes, of which the first reports over an actor beside this process. A node that is lost
costs the steps since the newest checkpoint, from which the processes that still have a place go on."""

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from .pipe import Pipe
from .spec import Resume, Spec

# Losses of nodes that one run survives.
LOSSES = 3
LOOK_SECONDS = 0.2
# How long the cluster may take to notice that a node is gone, and to have a free place.
SETTLE_SECONDS = 60.0

Files = dict[str, bytes]
Event = dict[str, Any]


def read_files(folder: Path) -> Files:
    """The files of a folder by their names."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def write_files(folder: Path, files: Files) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


class Post:
    """Carries events and the files that they name from the first process to the trainer, and a pause back."""

    def __init__(self) -> None:
        self._events: list[tuple[Event, Files]] = []
        self._wants_pause = False

    def put(self, event: Event, files: Files) -> None:
        self._events.append((event, files))

    def take(self, wants_pause: bool) -> list[tuple[Event, Files]]:
        """All events since the last call. Hands a pause over."""
        self._wants_pause = wants_pause
        events, self._events = self._events, []
        return events

    def wants_pause(self) -> bool:
        return self._wants_pause


class Remote:
    """The worker as the first process on the cluster knows it."""

    def __init__(self, post: Any, folder: Path) -> None:
        self._post = post
        self._folder = folder

    @property
    def wants_pause(self) -> bool:
        return ray.get(self._post.wants_pause.remote())

    def send(self, ev: str, **facts: Any) -> None:
        named = facts.get("path")
        files = read_files(self._folder / named) if named else {}
        # Waited for: a process that ends at once would take its last event with it.
        ray.get(self._post.put.remote({"ev": ev, **facts}, files))


class Member:
    """One process of a training on a node of the cluster."""

    def address(self) -> str:
        """Where the others reach this process."""
        host = ray.util.get_node_ip_address()
        with socket.socket() as free:
            free.bind((host, 0))
            return f"tcp://{host}:{free.getsockname()[1]}"

    def train(self, spec: Spec, rank: int, size: int, address: str, post: Any, data: Files, resume: Files) -> None:
        """Returns when this process is finished. Raises when another one is lost."""
        from .base import device_of
        from .loop import train
        from .start import Silent
        from .team import ProcessTeam, Team

        folder = Path(tempfile.mkdtemp(prefix="slipway-"))
        team = Team()
        try:
            write_files(folder, data)
            write_files(folder / "resume", resume)
            if not Path(spec.hf).is_dir():
                raise RuntimeError(f"The base is not on the node {ray.util.get_node_ip_address()}: its folder must have the same path on all nodes.")
            worker = Remote(post, folder) if rank == 0 else Silent()
            if size > 1:
                team = ProcessTeam(rank, size, address, device_of(0))
            train(spec, worker, team, folder)
        except SystemExit:
            pass  # The fault was reported.
        finally:
            team.close()
            shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Newest:
    """The newest checkpoint, to go on from."""

    step: int
    files: Files


class Run:
    """One run on the cluster, from the side of the trainer."""

    def __init__(self, spec: Spec, pipe: Pipe, folder: Path) -> None:
        self.spec, self.pipe, self.folder = spec, pipe, folder
        data = [folder / "train.tokens.jsonl", *([folder / "held.tokens.jsonl"] if spec.held else [])]
        self.data = ray.put({path.name: path.read_bytes() for path in data})
        self.newest = Newest(spec.resume.step, read_files(folder / spec.resume.path)) if spec.resume else None
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self.post = ray.remote(num_cpus=0)(Post).options(scheduling_strategy=here).remote()
        self.is_over = False
        self.code = 0

    def train(self) -> int:
        """Returns the exit code. Raises RayError after too many losses."""
        for losses in range(LOSSES + 1):
            members = self._members()
            try:
                self._follow(members)
                return self.code
            except RayError as error:
                self._relay()
                if self.is_over:
                    return self.code
                if losses == LOSSES:
                    raise
                print(f"A process was lost ({type(error).__name__}). The others go on from step {self.newest.step if self.newest else 0}.", flush=True)
            finally:
                for member in members:
                    ray.kill(member)
        return 1

    def _members(self) -> list[Any]:
        """Starts as many processes as there are places, and no more than are wanted."""
        has_gpus = ray.cluster_resources().get("GPU", 0) >= 1
        wanted = self.spec.cluster.workers if self.spec.cluster else 1
        places = list(_free_places("GPU" if has_gpus else "CPU"))[:wanted]
        kind = ray.remote(num_cpus=0 if has_gpus else 1, num_gpus=1 if has_gpus else 0, max_restarts=0)(Member)
        spread = [NodeAffinitySchedulingStrategy(node, soft=False) for node in places]
        print(f"{len(places)} processes on {len(set(places))} nodes", flush=True)
        return [kind.options(scheduling_strategy=strategy).remote() for strategy in spread]

    def _follow(self, members: list[Any]) -> None:
        spec, resume = self.spec, {}
        if self.newest:
            spec, resume = replace(spec, resume=Resume(self.newest.step, "resume")), self.newest.files
        address = ray.get(members[0].address.remote(), timeout=SETTLE_SECONDS)
        runs = [member.train.remote(spec, rank, len(members), address, self.post, self.data, resume) for rank, member in enumerate(members)]
        while runs and not self.is_over:
            done, runs = ray.wait(runs, timeout=LOOK_SECONDS)
            self._relay()
            ray.get(done)
        self._relay()

    def _relay(self) -> None:
        """Hands events on to the worker, whose files are written before it reads of them."""
        for event, files in ray.get(self.post.take.remote(self.pipe.wants_pause)):
            if files:
                write_files(self.folder / event["path"], files)
            if event["ev"] == "checkpoint":
                self.newest = Newest(event["step"], files)
            if event["ev"] in ("saved", "failed"):
                self.is_over = True
                self.code = 1 if event["ev"] == "failed" else 0
            self.pipe.send(**event)


def _free_places(resource: str) -> Iterator[str]:
    """Nodes with a free CPU or GPU, one after the other, each as often as it has one. Waits for the first."""
    until = time.monotonic() + SETTLE_SECONDS
    free: dict[str, int] = {}
    while not any(free.values()):
        if time.monotonic() > until:
            raise RuntimeError(f"The cluster has no free {resource}.")
        # No public call says what of each node is free.
        available = ray._private.state.available_resources_per_node()
        alive = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
        free = {node: int(available.get(node, {}).get(resource, 0)) for node in alive}
        time.sleep(LOOK_SECONDS)
    while any(free.values()):
        for node in [node for node, count in free.items() if count > 0]:
            free[node] -= 1
            yield node


def train_on_cluster(spec: Spec, pipe: Pipe, folder: Path) -> int:
    """Trains on the cluster that the settings name. Returns the exit code."""
    if spec.cluster is None:
        raise ValueError("The settings name no cluster.")
    # Nodes get this program from here; torch and the other packages they have themselves.
    code = {"py_modules": [str(Path(__file__).parent)]}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address=spec.cluster.address, runtime_env=code, logging_level="ERROR", log_to_driver=False)
    try:
        return Run(spec, pipe, folder).train()
    finally:
        ray.shutdown()
