"""By which configuration is a review carried out, whole, as one text and one digest?

The digest covers everything in the snapshot; there is no digest of a part of it, because a part
(a model's name, an endpoint) would call two behaviours one. Prices are no behaviour and stand on
the usage ledger; a credential is never frozen, only which connection pays for the run.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from evenhand.core.errors.registry import InvalidRetrievalSettings
from evenhand.core.errors.review import InvalidSnapshot, ModelUnavailable
from evenhand.core.identity.canonical import sha256_hex
from evenhand.core.identity.settings_digest import hold_settings

SCHEMA_VERSION: Final = 1
"""The newest shape of a snapshot that this release reads."""
MAX_TIMEOUT_SECONDS: Final = 86_400
#: Who is asked, which a claim may not exchange (BR-09).
BOUND: Final = ("apiProtocol", "baseUrl", "upstreamModelId", "connectionId", "modelId")
_NEEDED_TEXTS: Final = ("apiProtocol", "upstreamModelId")
_PRICES: Final = "priceSnapshot"
# A member that names a credential by its last word: apiKey, accessToken, client_secret.
_SECRET_NAME: Final = re.compile(
    r"(?:api|access|account|auth|client|private|secret|shared|subscription)[_-]?key$"
    r"|token$|secret$|passw(?:or)?d$|passphrase$|credentials?$|authorization$|^auth$|bearer$",
    re.IGNORECASE,
)
_USERINFO: Final = re.compile(r"://[^/?#\s]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSnapshot:
    """A whole behaviour configuration; made by :func:`hold_snapshot` and :func:`read_snapshot`.

    Attributes:
        text: ``json-ascii-v1``; what is stored and, byte for byte, what is digested.
    """

    text: str

    @property
    def sha256(self) -> str:
        """The configuration's identity, 64 lowercase hex digits (G-20)."""
        return sha256_hex(self.text.encode("ascii"))

    @property
    def value(self) -> dict[str, Any]:
        """The object that the text spells."""
        value: dict[str, Any] = json.loads(self.text)
        return value

    @property
    def model(self) -> str:
        """Which model was admitted; never what a provider's answer calls itself (BR-33)."""
        return str(self.value["upstreamModelId"])

    @property
    def timeout_seconds(self) -> float:
        """How long an attempt may take, above 0."""
        return float(self.value["timeoutSeconds"])

    def resolved(self, found: object) -> ConfigSnapshot:
        """The snapshot as it is stored after a claim: with what the claim resolved.

        Args:
            found: members that the claim knows, such as the worker's image or the admitted
                model row.

        Raises:
            ModelUnavailable: it resolved another model or connection than was submitted.
            InvalidSnapshot: as :func:`hold_snapshot`, or a member that says something else than
                what was submitted.
        """
        if type(found) is not dict:
            raise InvalidSnapshot("what a claim resolves must be an object")
        stated = self.value
        for member, value in found.items():
            if member in stated and stated[member] != value:
                if member in BOUND:
                    raise ModelUnavailable(member)
                raise InvalidSnapshot("a claim adds members, it changes none")
        return hold_snapshot(stated | found)


def hold_snapshot(snapshot: object) -> ConfigSnapshot:
    """A configuration as it is stored.

    Args:
        snapshot: an object as decoded from JSON. ``schemaVersion``, ``apiProtocol``,
            ``upstreamModelId`` and ``timeoutSeconds`` are needed; every other member that changes
            behaviour belongs into it as well, sampling included.

    Raises:
        InvalidSnapshot: not JSON, too deep or too long, a needed member missing, a newer schema,
            prices, a member named like a credential, or an address with user information.
    """
    try:
        held = hold_settings(snapshot)
    except InvalidRetrievalSettings as error:
        rule = error.rule
    else:
        _require_members(held.value)
        _require_no_secret(held.value)
        return ConfigSnapshot(text=held.text)
    raise InvalidSnapshot(rule)


def read_snapshot(text: str) -> ConfigSnapshot:
    """The snapshot that a stored text spells.

    Raises:
        InvalidSnapshot: it is not the text that :func:`hold_snapshot` gives.
    """
    try:
        held = hold_snapshot(json.loads(text))
    except ValueError:
        held = None
    if held is None or held.text != text:
        raise InvalidSnapshot("must be the canonical text that was stored")
    return held


def _require_members(stated: dict[str, Any]) -> None:
    schema = stated.get("schemaVersion")
    if type(schema) is not int or schema < 1:
        raise InvalidSnapshot("schemaVersion must be a whole number from 1")
    if schema > SCHEMA_VERSION:
        rule = f"schemaVersion is newer than {SCHEMA_VERSION}, which this release reads"
        raise InvalidSnapshot(rule, code="snapshot_ahead")
    for name in _NEEDED_TEXTS:
        if type(stated.get(name)) is not str or not stated[name]:
            rule = f"{name} must be a text"
            raise InvalidSnapshot(rule)
    seconds = stated.get("timeoutSeconds")
    if not _is_number(seconds) or not 0 < seconds <= MAX_TIMEOUT_SECONDS:
        rule = f"timeoutSeconds must be above 0 and at most {MAX_TIMEOUT_SECONDS}"
        raise InvalidSnapshot(rule)
    if _PRICES in stated:
        raise InvalidSnapshot("prices stand on the usage, so that new ones split no stratum")


def _is_number(value: object) -> TypeGuard[int | float]:
    return type(value) in (int, float)


def _require_no_secret(value: object) -> None:
    code = "credential_in_snapshot"
    if isinstance(value, dict):
        for name, member in value.items():
            # A number that is named like one (maxOutputToken) is none.
            if isinstance(member, str | dict | list) and _SECRET_NAME.search(name):
                raise InvalidSnapshot("a member is named like a credential", code=code)
            _require_no_secret(member)
    elif isinstance(value, list):
        for member in value:
            _require_no_secret(member)
    elif isinstance(value, str) and _USERINFO.search(value):
        raise InvalidSnapshot("an address holds user information", code=code)
