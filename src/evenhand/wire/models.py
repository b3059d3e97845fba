"""Which models does a caller see? In the shape of OpenAI's list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from evenhand.core.gateway.call import Model


class _Model(msgspec.Struct):
    id: str
    created: int
    owned_by: str
    object: str = "model"


class _Models(msgspec.Struct):
    data: list[_Model]
    object: str = "list"


def encode_models(found: Sequence[Model]) -> bytes:
    """The list.

    Args:
        found: in the order in which they are given.
    """
    listed = [
        _Model(id=model.name, created=int(model.created_at.timestamp()), owned_by=model.project)
        for model in found
    ]
    return _ENCODER.encode(_Models(data=listed))


_ENCODER: Final = msgspec.json.Encoder()
