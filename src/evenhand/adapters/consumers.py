"""Which retrieval engine does ``module:attribute`` name, for a comparison that a hub assigned?"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from evenhand.adapters.modules import is_module_reference, load_attribute
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import CodeFailed
from evenhand.core.identity.canonical import is_sha256

_WHAT: Final = "--adapter"
_SHAPE: Final = (
    "needs open_index(index_ref) and consumer_revision_sha256, 64 lowercase hex digits; see"
    " docs/consume.md"
)


def load_consumer(reference: str, project_root: Path) -> object:
    """The object that a reference names, or what a callable of no arguments there gives.

    Args:
        reference: ``module:attribute``.
        project_root: put on the import path.

    Returns:
        Something with the members of ``evenhand.sdk.RetrievalAdapter``.

    Raises:
        InvalidSetting: there is no such thing, or it has another shape.
        CodeFailed: the project's code raised; its error is the cause.
    """
    if not is_module_reference(reference):
        raise InvalidSetting(_WHAT, "is no module:attribute")
    found = load_attribute(reference, project_root, what=_WHAT)
    if not hasattr(found, "open_index") or isinstance(found, type):
        found = _made(found)
    is_shaped = callable(getattr(found, "open_index", None)) and is_sha256(
        getattr(found, "consumer_revision_sha256", None)
    )
    if not is_shaped:
        raise InvalidSetting(_WHAT, _SHAPE)
    return found


def _made(found: object) -> object:
    if not callable(found):
        raise InvalidSetting(_WHAT, _SHAPE)
    try:
        return found()
    except Exception as error:
        # Whatever the project's code raises; its message may hold anything.
        raise CodeFailed(_WHAT, f"raised {type(error).__name__} when it was called") from error
