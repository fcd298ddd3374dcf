"""Records what Python's Jinja2 renders of chat templates, the way that the transformers library sets it up.

record.py TEMPLATES prints {template: {conversation: digest}} as JSON. A digest is the SHA-256, cut to 16 digits, of the
JSON list of all variants of the conversation; null stands for a variant that Jinja2 refuses.
record.py snippets < snippets.json prints the list of snippets with their answers.
"""

import datetime
import hashlib
import json
import pathlib
import sys

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 2, 3, 4, 5, 6)


class Generation(Extension):
    """The tag that marks what an assistant wrote; it renders what it holds."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def render(template, variables):
    try:
        return template.render(**json.loads(json.dumps(variables)))
    except Exception:
        return None


def variants(conversation, tools):
    for prompt in (True, False):
        for thinking in (None, True, False):
            yield {
                **conversation.get("args", {}),
                "messages": conversation["messages"],
                **({"tools": tools} if conversation.get("tools") else {}),
                **({} if thinking is None else {"enable_thinking": thinking, "thinking": thinking}),
                "add_generation_prompt": prompt,
                "bos_token": "<s>",
                "eos_token": "</s>",
            }


def digest(texts):
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record_templates(folder):
    data = json.loads((pathlib.Path(__file__).parent / "conversations.json").read_text())
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.jinja")):
        template = environment().from_string(path.read_text())
        found[path.stem] = {
            name: digest([render(template, each) for each in variants(conversation, data["tools"])])
            for name, conversation in data["conversations"].items()
        }
    return found


def record_snippets(snippets):
    for snippet in snippets:
        try:
            template = environment().from_string(snippet["template"])
        except jinja2.exceptions.TemplateSyntaxError:
            snippet["output"] = None
            continue
        snippet["output"] = render(template, snippet.get("variables", {}))
    return snippets


if __name__ == "__main__":
    made = record_snippets(json.load(sys.stdin)) if sys.argv[1] == "snippets" else record_templates(sys.argv[1])
    print(json.dumps(made, ensure_ascii=False, indent=2))
