"""How is a gate's policy written as TOML, and read back exactly?

Unknown keys are refused, and decimals are taken from their text: ``0.1`` is a tenth. The JSON
Schema beside this file accepts the same documents; what it cannot say (that ``also_test`` must
not name the primary measure, that a number has at most 40 digits, which parameters and cutoffs a
graded measure takes) only the reader refuses.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

from evenhand.core.comparison.gate_policy import (
    FLOOR_MEASURES,
    CompletenessRule,
    CriticalRule,
    Floor,
    GatePolicy,
    OnInconclusive,
)
from evenhand.core.errors import InvalidFile, InvalidSetting
from evenhand.core.scoring.evaluation import Basis

FORMAT: Final = "evenhand.gate-policy/1"
#: Name that `gate init` gives the file, and where `gate` looks for one.
DEFAULT_FILE: Final = "gate.toml"

# Plenty for a share, and few enough that an exponent cannot ask for gigabytes.
_MOST_DIGITS: Final = 40
_MOST_LOST: Final = 1_000_000
_WHOLE: Final = "must be a whole number from 0 to 1000000"
_Word = TypeVar("_Word", bound=StrEnum)


def read_gate_policy(path: Path, file: str | None = None) -> GatePolicy:
    """The policy of a file.

    Args:
        path: the file, UTF-8.
        file: what messages call it, by default its name.

    Raises:
        InvalidFile: it cannot be read, is no TOML, has an unknown key, or a value out of range;
            names the key, never the value.
    """
    name = file or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidFile(name, "is not UTF-8") from None
    except OSError as error:
        raise InvalidFile(name, _unreadable(error)) from None
    return parse_gate_policy(text, name)


def parse_gate_policy(text: str, file: str) -> GatePolicy:
    """The policy of a text.

    Args:
        text: of the file.
        file: what messages call it.

    Raises:
        InvalidFile: as `read_gate_policy`.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        rule = str(error)  # says line and column, not the value
        raise InvalidFile(file, rule) from None
    except (ArithmeticError, ValueError, RecursionError):
        rule = "holds a number that is too long, or is nested too deeply"
        raise InvalidFile(file, rule) from None
    try:
        return build_gate_policy(document)
    except InvalidSetting as error:
        raise InvalidFile(file, str(error)) from None


def build_gate_policy(document: Mapping[str, Any]) -> GatePolicy:
    """The policy of a decoded document.

    Args:
        document: tables, lists, text, whole numbers, booleans and decimals as `Decimal`.

    Raises:
        InvalidSetting: names the key.
    """
    top = _Table(document)
    if top.take("format") != FORMAT:
        raise InvalidSetting("format", _expected_format())
    floors = _Table(top.take("floors", {}), "floors")
    critical = _Table(top.take("critical", {}), "critical")
    completeness = _Table(top.take("completeness", {}), "completeness")
    latency = _Table(top.take("latency", {}), "latency")
    default = GatePolicy()
    policy = GatePolicy(
        primary=top.text("primary", default.primary),
        margin=top.share("margin", default.margin),
        max_drop=top.share("max_drop", default.max_drop),
        also_test=top.texts("also_test"),
        inconclusive=top.word("inconclusive", OnInconclusive, default.inconclusive),
        floors=tuple(
            Floor(measure=name, minimum=minimum)
            for name in FLOOR_MEASURES
            if (minimum := floors.optional_share(name)) is not None
        ),
        max_false_abstention=top.optional_share("max_false_abstention"),
        critical=CriticalRule(
            marked=critical.flag("marked", default=default.critical.marked),
            questions=critical.texts("questions"),
            max_regressions=critical.whole("max_regressions", default.critical.max_regressions),
        ),
        completeness=CompletenessRule(
            max_failed_share=completeness.optional_share("max_failed_share"),
            require_complete=completeness.flag(
                "require_complete", default=default.completeness.require_complete
            ),
        ),
        max_median_ratio=latency.optional_share("max_median_ratio"),
        basis=tuple(top.one_of("basis", name, Basis) for name in top.texts("basis")),
    )
    for table in (top, floors, critical, completeness, latency):
        table.require_empty()
    return policy


def default_policy_text() -> str:
    """The commented file that ``evenhand gate init`` writes; it says what the defaults say."""
    return _resource("gate_policy.toml")


def policy_schema_text() -> str:
    """The JSON Schema of the policy as JSON text."""
    return _resource("gate_policy.schema.json")


class _Table:
    """One table; each key is taken out once, and none may be left."""

    def __init__(self, given: object, name: str = "") -> None:
        self._name = name
        if not isinstance(given, Mapping):
            raise InvalidSetting(name, "must be a table")
        self._left: dict[str, Any] = dict(given)

    def take(self, key: str, default: object = None) -> Any:
        return self._left.pop(key, default)

    def require_empty(self) -> None:
        for key in self._left:
            raise InvalidSetting(self._path(key), "is not a key of a gate policy")

    def text(self, key: str, default: str) -> str:
        value = self.take(key, default)
        if not isinstance(value, str):
            raise InvalidSetting(self._path(key), "must be text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InvalidSetting(self._path(key), "must be a list of texts")
        return tuple(value)

    def flag(self, key: str, *, default: bool) -> bool:
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise InvalidSetting(self._path(key), "must be true or false")
        return value

    def whole(self, key: str, default: int) -> int:
        value = self.take(key, default)
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise InvalidSetting(self._path(key), _WHOLE)
        # 1.0 is a whole number to JSON Schema; what is no number at all compares with nothing.
        if not Decimal(value).is_finite() or not 0 <= value <= _MOST_LOST or value % 1:
            raise InvalidSetting(self._path(key), _WHOLE)
        return int(value)

    def share(self, key: str, default: Fraction) -> Fraction:
        value = self.optional_share(key)
        return default if value is None else value

    def optional_share(self, key: str) -> Fraction | None:
        if key not in self._left:
            return None
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise InvalidSetting(self._path(key), "must be a number such as 0.1")
        number = Decimal(value)
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int) or max(abs(exponent), len(str(value))) > _MOST_DIGITS:
            raise InvalidSetting(self._path(key), "must be a number such as 0.1")
        return Fraction(number)

    def word(self, key: str, kind: type[_Word], default: _Word) -> _Word:
        return self.one_of(key, self.text(key, default), kind)

    def one_of(self, key: str, value: str, kind: type[_Word]) -> _Word:
        try:
            return kind(value)
        except ValueError:
            raise InvalidSetting(self._path(key), _one_of(kind)) from None

    def _path(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _expected_format() -> str:
    return f'must be "{FORMAT}"'


def _one_of(kind: type[StrEnum]) -> str:
    return f"must be one of {', '.join(kind)}"


def _unreadable(error: OSError) -> str:
    return f"cannot be read ({error.strerror or type(error).__name__})"
