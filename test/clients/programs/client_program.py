"""The frame of every client program in Python: jobs come in as JSON lines, and for each one line with what the client saw
goes out. `python program.py <unused> <flavour> <contract>`; `client-program.mjs` is the same for Node.js.
"""

import asyncio
import contextvars
import json
import sys
from dataclasses import asdict, dataclass, field

import httpx
import httpx2
from pydantic import BaseModel

TOOL_NAME = "get_weather"
TOOL_DESCRIPTION = "Weather of a city."
TOOL_PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
WEATHER = "Sunny, 21 degrees."


class City(BaseModel):
    """The object that all programs ask for."""

    city: str
    inhabitants: float


def under_v1(job):
    """Where the contract's paths begin. A job that is `exact` means its base URL to the letter."""
    return job["baseURL"] if job.get("exact") else job["baseURL"] + "/v1"


@dataclass
class Sight:
    """What a client sees while it does one job."""

    id: int
    text: str = ""
    thought: str = ""
    calls: list = field(default_factory=list)
    finish: str | None = None
    usage: dict | None = None
    model: str | None = None
    value: object = None
    error: dict | None = None
    requests: int = 0
    ran: list = field(default_factory=list)
    _begun: bool = False

    def said(self, piece):
        """Notes a piece of the answer, and tells the test of the first one."""
        if not piece:
            return
        self.text += piece
        if not self._begun:
            emit({"id": self.id, "begun": True})
        self._begun = True

    def tool(self, **arguments):
        """The tool, as a runner calls it."""
        self.ran.append(arguments)
        return WEATHER

    def used(self, prompt, completion):
        self.usage = {"prompt": prompt, "completion": completion}


_out = sys.stdout
# Clients print warnings; stdout is for the test alone.
sys.stdout = sys.stderr


def emit(line):
    _out.write(json.dumps(line) + "\n")
    _out.flush()


_sight = contextvars.ContextVar("sight")


def _count(client):
    """Counts what a kind of HTTP client sends, and tells the test of refusals, which a client may repeat by itself."""
    send = client.send

    async def counted(self, request, **options):
        sight = _sight.get()
        sight.requests += 1
        response = await send(self, request, **options)
        if response.status_code >= 400:
            emit({"id": sight.id, "refused": response.status_code})
        return response

    client.send = counted


_count(httpx.AsyncClient)
_count(httpx2.AsyncClient)


def _body_of(error):
    """The error object as the server wrote it, where the client shows it."""
    body = getattr(error, "body", None)
    body = body if isinstance(body, dict) else {}
    return body["error"] if isinstance(body.get("error"), dict) else body


def _describe(error):
    """What a user can read off an exception."""
    said = _body_of(error)
    name = type(error).__name__
    return {
        "name": name,
        "classes": [at.__name__ for at in type(error).__mro__],
        "status": getattr(error, "status_code", None),
        "code": said.get("code") or getattr(error, "code", None),
        "type": said.get("type") or getattr(error, "type", None),
        "param": said.get("param") or getattr(error, "param", None),
        "message": str(error) or name,
        "request": getattr(error, "request_id", None),
    }


async def _perform(acts, job):
    sight = Sight(job["id"])
    _sight.set(sight)
    try:
        await acts[job["act"]](job, sight)
    except Exception as error:  # noqa: BLE001 - whatever a client raises is what the test is about
        sight.error = _describe(error)
    line = asdict(sight)
    del line["_begun"]
    emit(line)


def serve(acts):
    """Does jobs until stdin ends. `acts` = what the client can do, by name: async (job, sight)."""

    async def run():
        emit({"id": 0, "ready": True})
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        running = set()
        while line := await reader.readline():
            task = asyncio.create_task(_perform(acts, json.loads(line)))
            running.add(task)
            task.add_done_callback(running.discard)

    asyncio.run(run())
