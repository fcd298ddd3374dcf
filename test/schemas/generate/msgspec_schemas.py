"""Records what msgspec writes for every type it knows."""

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import typing
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, TypedDict, TypeVar, Union

import msgspec
from msgspec import Meta, Struct

from recorded import record, refused


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: float
    y: float = 0.0


class Movie(TypedDict, total=False):
    title: str


@dataclasses.dataclass
class Card:
    number: int
    owner: Optional[str] = None


class Cat(Struct, tag="cat"):
    lives: Annotated[int, Meta(ge=1, le=9)]


class Dog(Struct, tag="dog"):
    name: str = "Rex"


class First(Struct, tag=1, tag_field="op"):
    a: int


class Second(Struct, tag=2, tag_field="op"):
    b: int


class Pair(Struct, array_like=True):
    a: int
    b: str = ""


class TaggedPair(Struct, array_like=True, tag="pair"):
    a: int


class Node(Struct):
    value: int
    next: Optional["Node"] = None


class And(Struct):
    items: list[Union["And", str]]


class Add(Struct, tag="add"):
    left: Union["Add", "Negate", float]
    right: Union["Add", "Negate", float]


class Negate(Struct, tag="negate"):
    left: Union[Add, "Negate", float]


class Closed(Struct, forbid_unknown_fields=True, kw_only=True):
    a: int
    b: str = "b"


class Renamed(Struct, rename="camel", omit_defaults=True):
    first_name: str
    maybe: Union[int, msgspec.UnsetType] = msgspec.UNSET


T = TypeVar("T")


class Page(Struct, Generic[T]):
    items: list[T]
    total: int


TYPES: dict[str, Any] = {
    "None": None, "bool": bool, "int": int, "float": float, "str": str, "bytes": bytes, "bytearray": bytearray, "Any": Any,
    "Decimal": decimal.Decimal, "UUID": uuid.UUID, "date": datetime.date, "time": datetime.time, "datetime": datetime.datetime,
    "timedelta": datetime.timedelta, "datetime with a zone": Annotated[datetime.datetime, Meta(tz=True)],
    "datetime without a zone": Annotated[datetime.datetime, Meta(tz=False)], "time with a zone": Annotated[datetime.time, Meta(tz=True)],
    "Raw": msgspec.Raw, "Enum": Color, "IntEnum": Level, "Literal": Literal["a", "b"], "Literal of numbers": Literal[1, 2], "Literal with None": Literal["a", None],
    "Optional": Optional[int], "Union": Union[int, str, None], "Union of structs": Union[Cat, Dog], "tags that are numbers": Union[First, Second],
    "list": list, "list of int": list[int], "tuple": tuple[int, ...], "tuple of two": tuple[int, str], "empty tuple": tuple[()],
    "set": set[int], "frozenset": frozenset[str], "Sequence": collections.abc.Sequence[int], "Collection": collections.abc.Collection[str],
    "dict": dict, "dict of int": dict[str, int], "dict by int": dict[int, str], "dict by UUID": dict[uuid.UUID, int], "Mapping": typing.Mapping[str, int],
    "dict by bounded text": dict[Annotated[str, Meta(min_length=2)], int], "bounded dict": Annotated[dict[str, int], Meta(min_length=1, max_length=3)],
    "TypedDict": Movie, "NamedTuple": Point, "dataclass": Card, "struct": Cat, "array-like struct": Pair, "tagged array-like struct": TaggedPair,
    "recursive struct": Node, "tree of texts": And, "tagged tree": Union[Add, Negate], "closed struct": Closed, "renamed struct": Renamed, "generic": Page[int], "generic of a struct": Page[Node],
    "int between": Annotated[int, Meta(ge=0, le=10)], "int strictly between": Annotated[int, Meta(gt=0, lt=10)], "int multiple": Annotated[int, Meta(multiple_of=5)],
    "float between": Annotated[float, Meta(ge=0, lt=1)], "text of a length": Annotated[str, Meta(min_length=2, max_length=4)],
    "text of a pattern": Annotated[str, Meta(pattern="^[a-z]+$")], "bounded list": Annotated[list[int], Meta(min_length=1, max_length=3)],
    "bounded bytes": Annotated[bytes, Meta(max_length=4)], "bounded tuple": Annotated[tuple[int, ...], Meta(max_length=2)],
    "described": Annotated[int, Meta(title="T", description="d", examples=[1], extra_json_schema={"x-more": 1})],
    "deep": list[dict[str, Optional[tuple[int, Union[str, list[Node]]]]]],
}

schemas = {}
for name, annotation in TYPES.items():
    try:
        schemas[f"alone: {name}"] = msgspec.json.schema(annotation)
        schemas[name] = msgspec.json.schema(msgspec.defstruct("Answer", [("value", annotation)]))
    except Exception as error:  # noqa: BLE001
        refused("msgspec", name, error)
record("msgspec.json", ["msgspec"], schemas)
