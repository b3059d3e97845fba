"""By which files is a review of grounding carried out? Those that are shipped, or a folder's."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.lines import read_whole, require_utf8
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import sha256_hex
from evenhand.core.identity.file_digests import root_digest

#: The newest rubric that is shipped.
SHIPPED: Final = "grounding/v1"
RUBRIC: Final = "rubric.md"
SYSTEM: Final = "system.md"
SCHEMA: Final = "answer.schema.json"
#: Where the rubric goes in the prompt.
PLACE: Final = "{rubric}"
_MOST_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaffolding:
    """The files of one version of a review.

    Attributes:
        rubric: the criteria, as a practice's revision says them.
        system: the prompt of a model, with the place of the rubric.
        schema: of a model's answer, JSON Schema.
    """

    rubric: bytes
    system: bytes
    schema: bytes

    @property
    def prompt(self) -> str:
        """What a model is told."""
        return self.system.decode().replace(PLACE, self.rubric.decode().strip())

    @property
    def shape(self) -> dict[str, object]:
        """The schema as a value."""
        return decode_object(self.schema, SCHEMA, None)

    @property
    def files(self) -> tuple[tuple[str, bytes], ...]:
        """Paths and contents."""
        return ((RUBRIC, self.rubric), (SYSTEM, self.system), (SCHEMA, self.schema))

    @property
    def digest(self) -> str:
        """Of all of them, as a model is prompted."""
        return root_digest(self.files)

    @property
    def text_sha256(self) -> str:
        """Of the criteria, without blanks around, as a revision of a practice holds them."""
        return sha256_hex(self.rubric.decode().strip().encode())


def shipped_scaffolding() -> Scaffolding:
    """The files that this release brings along."""
    folder = files("evenhand.adapters.reviewers").joinpath(SHIPPED)
    return Scaffolding(
        rubric=folder.joinpath(RUBRIC).read_bytes(),
        system=folder.joinpath(SYSTEM).read_bytes(),
        schema=folder.joinpath(SCHEMA).read_bytes(),
    )


def read_scaffolding(folder: Path) -> Scaffolding:
    """The files of a folder, under the names of those that are shipped.

    Raises:
        InvalidFile: one is missing, is not UTF-8 or is longer than 64 KiB; the prompt has no
            place for the rubric, or the schema is no JSON object.
    """
    read = {name: _read(folder / name) for name in (RUBRIC, SYSTEM, SCHEMA)}
    if PLACE not in read[SYSTEM].decode():
        rule = f"must say {PLACE} where the criteria go"
        raise InvalidFile(SYSTEM, rule)
    decode_object(read[SCHEMA], SCHEMA, None)
    return Scaffolding(rubric=read[RUBRIC], system=read[SYSTEM], schema=read[SCHEMA])


def _read(path: Path) -> bytes:
    content = read_whole(path, path.name, limit=_MOST_BYTES)
    require_utf8(content, path.name)
    return content
