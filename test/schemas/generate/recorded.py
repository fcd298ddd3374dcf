"""Writes one file of the corpus: which libraries made it, and its schemas by name, one a line."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

CORPUS = Path(__file__).parent.parent / "corpus"


def record(file: str, libraries: list[str], schemas: dict[str, dict]) -> None:
    made_by = {library: version(library) for library in libraries}
    lines = [f"    {json.dumps(name)}: {json.dumps(schema, ensure_ascii=False)}" for name, schema in schemas.items()]
    text = f'{{\n  "madeBy": {json.dumps(made_by)},\n  "schemas": {{\n' + ",\n".join(lines) + "\n  }\n}\n"
    (CORPUS / file).write_text(text, encoding="utf-8")
    print(f"{file}: {len(schemas)} schemas", file=sys.stderr)


def refused(library: str, name: str, error: Exception) -> None:
    print(f"{library} writes no schema for {name}: {str(error).splitlines()[0]}", file=sys.stderr)
