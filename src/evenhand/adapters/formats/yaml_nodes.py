"""What does a YAML file spell, as text, without any guess at types?

YAML's own loaders turn ``0123``, ``1e5``, ``yes`` and ``2024-01-01`` into numbers, truth values
and dates. Here every scalar stays the text that was written, with a note of whether it was
quoted. Tags, anchors and aliases are refused, so that a file means what it shows and cannot
expand to more than it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import yaml

from evenhand.core.errors import InvalidFile

#: Deepest nesting that is read. The format needs four levels.
MAX_DEPTH: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A text.

    Attributes:
        value: as written, escapes and line folds resolved.
        is_plain: whether it stood without quotes and is no block.
        line: where it begins, from 1.
    """

    value: str
    is_plain: bool
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list of nodes."""

    items: list[Node] = field(default_factory=list)
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Pairs of key and node; keys are distinct texts."""

    items: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    line: int


Node: TypeAlias = Scalar | Sequence | Mapping

#: What YAML 1.1 does not count as printable; it may stand there as an escape only.
_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
# libyaml where the installed PyYAML has it: some ten times faster, with the same events.
_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str, file: str) -> Node | None:
    """The one document of a YAML text, None where there is none.

    Args:
        text: the file's text.
        file: what messages call the file.

    Raises:
        InvalidFile: not YAML, more than one document, a tag, an anchor, an alias, a key that is
            no text or occurs twice, or nesting beyond ``MAX_DEPTH``; names the line.
    """
    builder = _Builder(file)
    for event in _events(text, file):
        builder.take(event)
    return builder.root


def _events(text: str, file: str) -> Iterator[yaml.Event]:
    # Looked for here, because the two readers name the place in different units.
    unprintable = _UNPRINTABLE.search(text)
    if unprintable:
        line = text.count("\n", 0, unprintable.start()) + 1
        raise InvalidFile(file, "holds a character that YAML wants escaped", line=line)
    try:
        yield from yaml.parse(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        # Its own message quotes the text around; the problem alone does not.
        mark = error.problem_mark or error.context_mark
        rule = _not_yaml(error.problem)
        raise InvalidFile(file, rule, line=None if mark is None else mark.line + 1) from None


class _Builder:
    """Makes nodes of events. A stack instead of recursion: depth is the file's choice."""

    def __init__(self, file: str) -> None:
        self.root: Node | None = None
        self._file = file
        self._open: list[Sequence | Mapping] = []
        self._keys: list[Scalar | None] = []

    def take(self, event: yaml.Event) -> None:
        """Take the next event of the parser."""
        if isinstance(event, yaml.AliasEvent | yaml.NodeEvent):
            self._take_node(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._keys.pop()

    def _take_node(self, event: yaml.NodeEvent) -> None:
        line = 1 if event.start_mark is None else event.start_mark.line + 1
        if event.anchor is not None:
            raise InvalidFile(self._file, "anchors and aliases are not read", line=line)
        if getattr(event, "tag", None) is not None:
            raise InvalidFile(self._file, "tags such as !!int are not read", line=line)
        if isinstance(event, yaml.ScalarEvent):
            is_plain = event.style in (None, "")
            self._place(Scalar(value=event.value, is_plain=is_plain, line=line))
            return
        node = (
            Mapping(line=line)
            if isinstance(event, yaml.MappingStartEvent)
            else Sequence(line=line)
        )
        self._place(node)
        self._open.append(node)
        self._keys.append(None)
        if len(self._open) > MAX_DEPTH:
            raise InvalidFile(self._file, "is nested too deeply", line=line)

    def _place(self, node: Node) -> None:
        if not self._open:
            if self.root is not None:
                raise InvalidFile(self._file, "holds more than one document", line=node.line)
            self.root = node
            return
        parent = self._open[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
            return
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = self._require_key(parent, node)
        else:
            parent.items[key.value] = node
            parent.lines[key.value] = key.line
            self._keys[-1] = None

    def _require_key(self, parent: Mapping, node: Node) -> Scalar:
        if not isinstance(node, Scalar):
            raise InvalidFile(self._file, "a key must be text", line=node.line)
        first = parent.lines.get(node.value)
        if first is not None:
            raise InvalidFile(self._file, _same_key(first, node.line), line=node.line)
        return node


def _not_yaml(problem: str | None) -> str:
    return f"is not YAML: {problem}"


def _same_key(first: int, second: int) -> str:
    return f"one key occurs on line {first} and on line {second}"
