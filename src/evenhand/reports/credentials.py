"""How are credentials shown? As a JSON value and as lines; never a token or its digest."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.access.credential import Credential


def credential_document(one: Credential) -> dict[str, object]:
    """What is kept of a token as a JSON value, without its digest; unknown as null."""
    return {
        "id": one.id,
        "name": one.name,
        "role": one.role.value,
        "state": one.state.value,
        "created_at": one.created_at.isoformat(),
        "rotated_from": one.rotated_from,
        "ended_at": None if one.ended_at is None else one.ended_at.isoformat(),
        "client_id": one.client_id,
    }


def credential_lines(found: Iterable[Credential]) -> list[str]:
    """Plain lines of at most 80 columns, two for each: what it is called and is; since when."""
    return [line for one in found for line in (_what(one), _since(one))]


def _what(one: Credential) -> str:
    return f"{one.name}  {one.role.value}"


def _since(one: Credential) -> str:
    at = one.created_at if one.ended_at is None else one.ended_at
    return f"  {one.state.value} since {at:%Y-%m-%d %H:%M} UTC  {one.id}"
