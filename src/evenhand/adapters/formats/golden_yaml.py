"""How is a golden set written as ``evenhand.golden/1`` in YAML, and read back?

One mapping: the keys of the header, and ``questions`` with a list of mappings. All text is text,
quoted or not: an id ``0123``, ``1e5``, ``null`` or ``yes`` is these characters. Only where the
format wants a truth value does an unquoted ``true`` or ``false`` become one, and only where it
allows null does an unquoted ``null``, ``~`` or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from evenhand.adapters.formats import yaml_nodes
from evenhand.adapters.formats.golden_records import (
    NumberedRecord,
    Record,
    build_golden_set,
    header_record,
    question_records,
)
from evenhand.adapters.formats.lines import read_whole, require_utf8
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import GoldenSet

#: Largest YAML file that is read, in bytes. JSONL has no such limit.
MAX_YAML_BYTES: Final = 64 * 2**20

_QUESTIONS: Final = "questions"
_TRUTH: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_TRUTH_FIELDS: Final = frozenset(("critical", "reviewed", "unjudged", "holdout"))
_WHOLE_FIELD: Final = "grade"
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)
_NULL_FIELDS: Final = frozenset(
    (
        "hard_class",
        "answer_gist",
        "label_provenance",
        "model_revision",
        "chunking_identity",
        "pipeline_identity",
        "execution_revision",
    )
)
# What YAML 1.1 does not print, what it takes for a line end, and what a quoted scalar needs escaped.
_ESCAPED: Final = re.compile(
    '[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|["\\\\]'
)


def read_golden_yaml(path: Path, file: str | None = None) -> GoldenSet:
    """The golden set of a YAML file.

    Args:
        path: the file, at most ``MAX_YAML_BYTES``.
        file: what messages call it, by default its name.

    Raises:
        InvalidFile: what breaks a rule first, by file, line (from 1) and rule.
    """
    name = file or path.name
    content = read_whole(path, name, limit=MAX_YAML_BYTES)
    root = yaml_nodes.parse_yaml(require_utf8(content, name), name)
    if root is None:
        return build_golden_set(None, iter(()), name)
    if not isinstance(root, yaml_nodes.Mapping):
        raise InvalidFile(name, "must be a mapping with the header and questions", line=root.line)
    questions = root.items.get(_QUESTIONS)
    header = {key: _plain(node, key) for key, node in root.items.items() if key != _QUESTIONS}
    return build_golden_set((root.line, header), _records(questions, name), name)


def dump_golden_yaml(golden_set: GoldenSet) -> bytes:
    """The set as YAML, every text in double quotes. ``read_golden_yaml`` gives the same value back."""
    lines = [f"{key}: {_flow(value)}" for key, value in header_record(golden_set).items()]
    lines.append(f"{_QUESTIONS}:")
    for record in question_records(golden_set):
        lines.extend(_block(record))
    return ("\n".join(lines) + "\n").encode("utf-8")


def _records(questions: yaml_nodes.Node | None, file: str) -> Iterator[NumberedRecord]:
    if questions is None:
        return
    if not isinstance(questions, yaml_nodes.Sequence):
        raise InvalidFile(file, "questions must be a list", line=questions.line)
    for node in questions.items:
        if not isinstance(node, yaml_nodes.Mapping):
            raise InvalidFile(file, "a question must be a mapping", line=node.line)
        yield node.line, {key: _plain(member, key) for key, member in node.items.items()}


def _plain(node: yaml_nodes.Node, key: str) -> object:
    """The value of a node as the other reader of the format would see it."""
    if isinstance(node, yaml_nodes.Mapping):
        return {name: _plain(member, name) for name, member in node.items.items()}
    if isinstance(node, yaml_nodes.Sequence):
        return [_plain(member, "") for member in node.items]
    if node.is_plain and key in _TRUTH_FIELDS:
        return _TRUTH.get(node.value, node.value)
    if node.is_plain and key == _WHOLE_FIELD and _WHOLE.fullmatch(node.value):
        return int(node.value)
    if node.is_plain and key in _NULL_FIELDS and node.value in _NULLS:
        return None
    return node.value


def _block(record: Record) -> Iterator[str]:
    indent = "- "
    for key, value in record.items():
        yield f"{indent}{key}: {_flow(value)}"
        indent = "  "


def _flow(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return '"' + _ESCAPED.sub(_escape, str(value)) + '"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return "\\" + character if character in '"\\' else f"\\u{ord(character):04x}"
