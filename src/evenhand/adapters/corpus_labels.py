"""Which documents did a corpus label stand for before, on this machine?

A label that somebody made up says nothing of the documents behind it. Where the corpus is at hand
its digest is remembered beside the label, so that a label which stayed while documents moved is
noticed. The file holds labels and digests, no text and no id.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from evenhand.adapters.formats.whole_file import writing

FILE: Final = "corpus-labels.json"


class _Labels(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file."""

    format: Literal["evenhand.corpus-labels/1"]
    labels: dict[str, str]


def has_moved(folder: Path, label: str, digest: str) -> bool:
    """Whether a label stood for other documents before; a label not seen before is remembered.

    Args:
        folder: the project's state folder; where there is none, nothing is remembered.
        label: the corpus label, as declared.
        digest: of the corpus that is at hand now.
    """
    known = _read(folder / FILE)
    before = known.get(label)
    if before is None and folder.is_dir():
        held = _Labels(format="evenhand.corpus-labels/1", labels=known | {label: digest})
        with writing(folder / FILE, mode=0o600) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(held, order="sorted")) + b"\n")
    return before is not None and before != digest


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Labels).labels
    except (OSError, msgspec.DecodeError):
        # Only a memory: without it nothing is known of before.
        return {}
