"""Records what pydantic writes for every type it knows, and what openai-python makes of it for strict schemas."""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import typing
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, TypeVar, Union

import pydantic
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, Tag, TypeAdapter, networks, types
from typing_extensions import TypeAliasType, TypedDict

from recorded import record, refused


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: float
    y: float = 0.0


class Movie(TypedDict, total=False):
    title: str
    year: int


@dataclasses.dataclass
class Card:
    number: int
    owner: Optional[str] = None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: Annotated[int, Field(ge=1, le=9)]


class Dog(BaseModel):
    kind: Literal["dog", "wolf"]
    name: str = "Rex"


class Fish(BaseModel):
    kind: Literal["fish"] = "fish"
    depth: float


class Node(BaseModel):
    value: int
    next: Optional["Node"] = None


class Tree(BaseModel):
    label: str
    children: list["Tree"] = []


class Panel(BaseModel):
    title: str
    children: list[Annotated[Union["Panel", "Row"], Field(discriminator="kind")]] = []
    kind: Literal["panel"] = "panel"


class Row(BaseModel):
    title: str
    children: list[Annotated[Union[Panel, "Row"], Field(discriminator="kind")]] = []
    kind: Literal["row"]


class And(BaseModel):
    items: list[Union["And", "Or", str]]


class Or(BaseModel):
    items: list[Union[And, "Or", str]]
    negated: bool = False


class Compare(BaseModel):
    left: Union["Compare", "Logic", float]
    op: Literal["<", ">"]
    right: Union["Compare", "Logic", float]


class Logic(BaseModel):
    left: Union[Compare, "Logic", float]
    op: Literal["and", "or"]
    right: Union[Compare, "Logic", float]


class Left(BaseModel):
    right: Optional["Right"] = None


class Right(BaseModel):
    left: Optional[Left] = None


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int
    b: str = "b"


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class OpenTyped(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    a: int


class Aliased(BaseModel):
    first_name: str = Field(alias="firstName")
    zip_code: str = Field(validation_alias="zip", pattern=r"^\d{5}(-\d{4})?$")


class Documented(BaseModel):
    """A model with everything that only describes."""

    model_config = ConfigDict(title="Titled", json_schema_extra={"examples": [{"a": 1}], "x-more": True})
    a: int = Field(1, title="A", description="the a", examples=[1, 2], deprecated=True, json_schema_extra={"readOnly": True})


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, str_min_length=1, str_max_length=8)
    name: str
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")]


class Computed(BaseModel):
    side: float

    @pydantic.computed_field
    @property
    def area(self) -> float:
        return self.side**2


class Names(RootModel[list[str]]):
    pass


class Scores(RootModel[dict[str, float]]):
    pass


def kind_of(value: Any) -> str:
    return value.get("kind", "fish") if isinstance(value, dict) else value.kind


Json = TypeAliasType("Json", "Union[dict[str, Json], list[Json], str, int, float, bool, None]")

TYPES: dict[str, Any] = {
    "bool": bool, "int": int, "float": float, "str": str, "bytes": bytes, "None": None, "Any": Any, "object": object,
    "complex": complex, "Decimal": decimal.Decimal, "Fraction": fractions.Fraction, "UUID": uuid.UUID,
    **{name: getattr(types, name) for name in ["UUID1", "UUID3", "UUID4", "UUID5", "UUID6", "UUID7", "UUID8"] if hasattr(types, name)},
    "date": datetime.date, "datetime": datetime.datetime, "time": datetime.time, "timedelta": datetime.timedelta,
    "PastDate": types.PastDate, "FutureDate": types.FutureDate, "PastDatetime": types.PastDatetime,
    "FutureDatetime": types.FutureDatetime, "AwareDatetime": types.AwareDatetime, "NaiveDatetime": types.NaiveDatetime,
    "date from": Annotated[datetime.date, Field(ge=datetime.date(2020, 1, 1))],
    "Enum": Color, "Enum of mixed values": Mixed, "IntEnum": Level, "one value of an Enum": Literal[Color.RED],
    "Literal of texts": Literal["a", "b"], "Literal of one": Literal["only"], "Literal of mixed values": Literal["a", 1, True, None],
    "Optional": Optional[int], "Union": Union[int, str, list[bool]], "Union of models": Union[Cat, Dog],
    "Union with None and a bound": Optional[Annotated[str, Field(max_length=5)]],
    "discriminated": Annotated[Union[Cat, Dog, Fish], Field(discriminator="kind")],
    "list of discriminated": list[Annotated[Union[Cat, Dog], Field(discriminator="kind")]],
    "discriminated by a function": Annotated[Union[Annotated[Cat, Tag("cat")], Annotated[Fish, Tag("fish")]], Discriminator(kind_of)],
    "list": list, "list of int": list[int], "list of lists": list[list[int]], "Sequence": typing.Sequence[str],
    "Iterable": typing.Iterable[int], "deque": collections.deque[int], "bounded deque": Annotated[collections.deque[int], Field(max_length=3)],
    "tuple": tuple, "tuple of two": tuple[int, str], "tuple of any length": tuple[int, ...], "empty tuple": tuple[()],
    "nested tuples": tuple[tuple[int, int], tuple[float, float]],
    "set": set[int], "frozenset": frozenset[str], "set of an Enum": set[Color], "set of Literal": set[Literal["a", "b", "c"]],
    "dict": dict, "dict of int": dict[str, int], "dict by int": dict[int, str], "dict by UUID": dict[uuid.UUID, int],
    "dict by Enum": dict[Color, int], "dict by Literal": dict[Literal["a", "b"], int], "dict by date": dict[datetime.date, int],
    "dict by pattern": dict[Annotated[str, Field(pattern="^k_")], int], "bounded dict": Annotated[dict[str, int], Field(min_length=1, max_length=3)],
    "dict of dicts": dict[str, dict[str, list[int]]], "Mapping": typing.Mapping[str, int], "OrderedDict": collections.OrderedDict[str, int],
    "defaultdict": collections.defaultdict[str, list[int]], "Counter": collections.Counter[str], "ChainMap": typing.ChainMap[str, int],
    "TypedDict": Movie, "NamedTuple": Point, "dataclass": Card, "model": Cat, "nested model": dict[str, Cat],
    "recursive model": Node, "tree": Tree, "models of each other": Left,
    "tagged tree, the tag last": Annotated[Union[Panel, Row], Field(discriminator="kind")], "tree without a tag": Union[And, Or],
    "tree of comparisons": Union[Compare, Logic], "generic": Page[int], "generic of a model": Page[Cat],
    "closed model": Closed, "open model": Open, "open model of one type": OpenTyped, "aliases": Aliased, "documented": Documented,
    "frozen": Frozen, "root list": Names, "root dict": Scores, "recursive alias": Json, "JsonValue": types.JsonValue,
    "Pattern": re.Pattern, "Path": pathlib.Path, "PurePosixPath": pathlib.PurePosixPath, "FilePath": types.FilePath,
    "DirectoryPath": types.DirectoryPath, "NewPath": types.NewPath,
    **{name: getattr(ipaddress, name) for name in ["IPv4Address", "IPv6Address", "IPv4Interface", "IPv6Interface", "IPv4Network", "IPv6Network"]},
    **{name: getattr(networks, name) for name in [
        "AnyUrl", "AnyHttpUrl", "HttpUrl", "FileUrl", "FtpUrl", "WebsocketUrl", "PostgresDsn", "CockroachDsn", "AmqpDsn", "RedisDsn", "MongoDsn",
        "KafkaDsn", "NatsDsn", "MySQLDsn", "MariaDBDsn", "ClickHouseDsn", "SnowflakeDsn", "EmailStr", "NameEmail", "IPvAnyAddress",
        "IPvAnyInterface", "IPvAnyNetwork"] if hasattr(networks, name)},
    "SecretStr": types.SecretStr, "SecretBytes": types.SecretBytes, "Secret date": types.Secret[datetime.date], "Json of int": types.Json[list[int]],
    "ImportString": types.ImportString, "ByteSize": types.ByteSize, "Base64Bytes": types.Base64Bytes, "Base64Str": types.Base64Str,
    "Base64UrlStr": types.Base64UrlStr, "FiniteFloat": types.FiniteFloat, "AllowInfNan": types.AllowInfNan,
    **{name: getattr(types, name) for name in [
        "PositiveInt", "NegativeInt", "NonNegativeInt", "NonPositiveInt", "PositiveFloat", "NegativeFloat", "NonNegativeFloat", "NonPositiveFloat",
        "StrictBool", "StrictInt", "StrictFloat", "StrictStr", "StrictBytes"]},
    "int between": Annotated[int, Field(ge=-5, le=5)], "int strictly between": Annotated[int, Field(gt=0, lt=100)],
    "int multiple": Annotated[int, Field(multiple_of=5, ge=0)], "float between": Annotated[float, Field(ge=0, lt=1)],
    "float multiple": Annotated[float, Field(multiple_of=0.25)], "large int": Annotated[int, Field(ge=-(2**63), le=2**63 - 1)],
    "Decimal of places": Annotated[decimal.Decimal, Field(max_digits=6, decimal_places=2)],
    "Decimal between": Annotated[decimal.Decimal, Field(ge=0, le=10)],
    "text of a length": Annotated[str, Field(min_length=2, max_length=4)], "text of a pattern": Annotated[str, Field(pattern=r"^[a-z]+-\d{2,4}$")],
    "flags before a pattern": Annotated[str, Field(pattern="(?i)^[a-z]+$")], "named groups": Annotated[str, Field(pattern=r"^(?P<y>\d{4})$")],
    "ends of Rust": Annotated[str, Field(pattern=r"\A[ab]\z")], "flags in a pattern": Annotated[str, Field(pattern="^(?i:x)y$")],
    "pattern inside": Annotated[str, Field(pattern="abc")], "pattern and length": Annotated[str, Field(pattern="^[ab]*$", min_length=2, max_length=6)],
    "stripped text": Annotated[str, types.StringConstraints(strip_whitespace=True, to_lower=True, min_length=1)],
    "bounded bytes": Annotated[bytes, Field(max_length=4)], "bounded list": Annotated[list[int], Field(min_length=1, max_length=3)],
    "list of bounded": list[Annotated[int, Field(gt=0)]], "bounded set": Annotated[set[int], Field(min_length=1, max_length=3)],
    "with default": Annotated[int, Field(default=3)], "deep": list[dict[str, Optional[tuple[int, Union[str, list[Cat]]]]]],
}


def model_of(name: str, annotation: Any) -> type[BaseModel]:
    return pydantic.create_model("Answer", value=(annotation, ...))


def models() -> typing.Iterator[tuple[str, type[BaseModel]]]:
    for name, annotation in TYPES.items():
        try:
            yield name, model_of(name, annotation)
        except Exception as error:  # noqa: BLE001
            refused("pydantic", name, error)
    yield "computed", Computed


plain, strict = {}, {}
for name, model in models():
    try:
        plain[name] = model.model_json_schema()
    except Exception as error:  # noqa: BLE001
        refused("pydantic", name, error)
        continue
    try:
        strict[name] = to_strict_json_schema(model)
    except Exception as error:  # noqa: BLE001
        refused("openai", name, error)
plain["computed, as it is written"] = Computed.model_json_schema(mode="serialization")
for name, annotation in {"alone: int": int, "alone: union": Union[int, list[str]], "alone: TypedDict": Movie, "alone: list of models": list[Node]}.items():
    plain[name] = TypeAdapter(annotation).json_schema()

record("pydantic.json", ["pydantic"], plain)
record("openai-python.json", ["openai", "pydantic"], strict)
