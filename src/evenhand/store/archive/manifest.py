"""What does an archive say of itself? The member ``manifest.json``, written last and read first.

It is one strict JSON object. Its digests find damage and loss; they say nothing of who wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Self

import msgspec

from evenhand.core.identity.canonical import json_ascii_v1, json_ascii_v1_digest
from evenhand.store.archive.layout import Kind, Layout
from evenhand.wire.strict_json import NotStrictJson, decode_strictly

FORMAT: Final = "evenhand.archive/1"

_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,62}\Z")]
_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Revision = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{8}_[0-9]{4}\Z")]
_Time = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z\Z")]
_Release = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,64}\Z")]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class UnfitManifest(Exception):
    """A manifest is none; the rule is half a sentence."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class TableEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an archive says of one table.

    Attributes:
        name: of the table, and of its member.
        columns: name and kind of each column, in the order of the values of a line.
        key: the columns by which lines are ordered.
        rows: how many lines there are.
        size: of the lines in bytes.
        sha256: of the lines.
    """

    name: _Name
    columns: Annotated[tuple[tuple[_Name, Kind], ...], msgspec.Meta(min_length=1)]
    key: Annotated[tuple[_Name, ...], msgspec.Meta(min_length=1)]
    rows: _Count
    size: _Count
    sha256: _Sha256

    @property
    def layout(self) -> Layout:
        """How its rows are written."""
        return Layout(name=self.name, columns=self.columns, key=self.key)

    @property
    def member(self) -> str:
        """The name of its member in the archive."""
        return f"tables/{self.name}.jsonl"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an archive says of itself.

    Attributes:
        format: always :data:`FORMAT`.
        release: of Evenhand that wrote it.
        revision: of the schema that its tables have.
        chain_digest: of the migrations up to that revision.
        created_at: the time of the database when its reading began.
        tables: all that are in it, by name.
    """

    format: str
    release: _Release
    revision: _Revision
    chain_digest: _Sha256
    created_at: _Time
    tables: tuple[TableEntry, ...]

    @property
    def digest(self) -> str:
        """The archive's own digest: equal for equal content at an equal revision, at any time."""
        return content_digest(self.revision, self.chain_digest, self.tables)

    @property
    def rows(self) -> int:
        """How many rows it holds."""
        return sum(entry.rows for entry in self.tables)

    def encode(self) -> bytes:
        """The member's bytes."""
        return json_ascii_v1(msgspec.to_builtins(self)).encode("ascii") + b"\n"

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """The manifest of a member's bytes.

        Raises:
            UnfitManifest: it is not strict JSON, of another format, or breaks a rule.
        """
        try:
            value = decode_strictly(content)
        except NotStrictJson as error:
            raise UnfitManifest(error.rule) from None
        if value.get("format") != FORMAT:
            rule = f"is not of the format {FORMAT}"
            raise UnfitManifest(rule)
        try:
            found = msgspec.convert(value, cls)
        except msgspec.ValidationError as error:
            # The place in the document is told, and never a value of it.
            rule = f"breaks its schema ({_place(error)})"
            raise UnfitManifest(rule) from None
        _require_sense(found)
        return found


def content_digest(revision: str, chain_digest: str, entries: Sequence[TableEntry]) -> str:
    """One digest over the tables at a revision, whatever database holds them."""
    tables = [[one.name, one.columns, one.key, one.rows, one.sha256] for one in entries]
    return json_ascii_v1_digest([FORMAT, revision, chain_digest, tables])


def _require_sense(found: Manifest) -> None:
    names = [entry.name for entry in found.tables]
    if names != sorted(set(names)):
        raise UnfitManifest("does not name each table once, in order")
    for entry in found.tables:
        columns = [name for name, _ in entry.columns]
        if len(set(columns)) != len(columns):
            rule = f"names a column of {entry.name} twice"
            raise UnfitManifest(rule)
        if not set(entry.key) <= set(columns):
            rule = f"names a key of {entry.name} that is no column of it"
            raise UnfitManifest(rule)


def _place(error: msgspec.ValidationError) -> str:
    _, at, place = str(error).rpartition(" - at ")
    return f"at {place}" if at else "at its top"
