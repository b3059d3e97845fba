"""What is one event, in data? A folder of a contract's version, read and checked.

``contract.toml`` is the one place where the fields stand; the schema, the documentation and the
exports are made from it or held against it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from evenhand.core.errors import InvalidFile

#: The folder of the shipped contract's version.
FOLDER: Final = Path(__file__).parent / "rag_retrieval_evaluated" / "v1"
CONTRACT_FILE: Final = "contract.toml"
SCHEMA_FILE: Final = "event.schema.json"
QUESTIONS: Final = "questions"
FIXTURES: Final = "fixtures"


class FieldType(StrEnum):
    """What a field holds."""

    TIMESTAMP = "timestamp"
    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    FINGERPRINT = "fingerprint"
    DIGEST = "digest"


class Privacy(StrEnum):
    """What a field may say about somebody."""

    NON_SENSITIVE = "non-sensitive"
    PSEUDONYMOUS = "pseudonymous"


class Field(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field of an event.

    Attributes:
        name: snake case.
        type: what it holds.
        required: whether every event has it; an optional one that is absent is unknown.
        privacy: its class.
        meaning: one sentence.
        review: whether it tells of a review, which can disclose business or provider context.
        minimum: least number, None without one.
        maximum: greatest number, None without one.
        values: all texts it can be; empty for any identifier.
        decision: which decision an optional field serves; None for a required one (E-16).
        need: why an identifier is there: investigation, access and retention (E-42).
    """

    name: str
    type: FieldType
    required: bool
    privacy: Privacy
    meaning: str
    review: bool = False
    minimum: float | None = None
    maximum: float | None = None
    values: tuple[str, ...] = ()
    decision: str | None = None
    need: str | None = None


class Contract(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One version of an analytics contract.

    Attributes:
        name: of the event.
        version: whole number from 1; another one may change anything.
        owner: who emits it.
        grain: what one row stands for.
        grain_key: the fields that no two rows share all of.
        emitted_when: the outcome boundary.
        question: what the reviewed queries answer.
        fields: in the order of the documentation.
    """

    name: str
    version: int
    owner: str
    grain: str
    grain_key: tuple[str, ...]
    emitted_when: str
    question: str
    fields: tuple[Field, ...]

    @property
    def relation(self) -> str:
        """The name under which queries find its rows."""
        return f"{self.name}_v{self.version}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return tuple(field.name for field in self.fields)

    @property
    def required_names(self) -> tuple[str, ...]:
        """The names of the required fields, in order."""
        return tuple(field.name for field in self.fields if field.required)

    def find(self, name: str) -> Field | None:
        """The field of a name."""
        return next((field for field in self.fields if field.name == name), None)


def read_contract(path: Path) -> Contract:
    """The contract of a file, or of the folder that holds one.

    Args:
        path: ``contract.toml``, or its folder.

    Raises:
        InvalidFile: it cannot be read, is no TOML, or is no contract; names the member.
    """
    file = path / CONTRACT_FILE if path.is_dir() else path
    table = read_toml(file)
    try:
        return msgspec.convert(table, Contract)
    except msgspec.ValidationError as error:
        # The messages of msgspec name member and type, no value.
        raise InvalidFile(file.name, str(error)) from None


def read_toml(file: Path) -> dict[str, Any]:
    """The table of a TOML file.

    Raises:
        InvalidFile: it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        rule = f"is not TOML: {error}"
    except UnicodeDecodeError:
        rule = "is not UTF-8"
    except OSError as error:
        rule = f"cannot be read ({type(error).__name__})"
    raise InvalidFile(file.name, rule)


@cache
def shipped_contract() -> Contract:
    """The contract that this release checks events against."""
    return read_contract(FOLDER)


def field_registry(contract: Contract) -> list[Mapping[str, object]]:
    """Name, type, requirement, privacy and meaning of each field: what never changes (G-69)."""
    return [
        {
            "name": field.name,
            "type": field.type.value,
            "required": field.required,
            "privacy": field.privacy.value,
            "meaning": field.meaning,
        }
        for field in contract.fields
    ]
