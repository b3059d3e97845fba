"""Which labels does Evenhand state for what it builds or wraps, and what may be pasted?

Where Evenhand derives or wraps a declaration it appends the depth, and a threshold where there is
one, to the pipeline label: both can alter a ranking. A consumer's own declaration is never
altered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
from evenhand.core.errors import InvalidFile, InvalidSetting
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.identity.labels import MAX_IDENTITY_BYTES, require_revision

#: Chunking label of the built-in retrievers: a document is searched and returned as a whole.
WHOLE_DOCUMENT: Final = "document"

_DIGITS: Final = 12
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
#: Label → what is to be put in its place.
_OPEN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "corpus": "<path of the corpus, or a label that changes with it>",
        "model": "<embedding model and revision, or not-applicable>",
        "chunking": "<chunker and settings, or not-applicable>",
        "pipeline": "<label that covers every setting that can alter a ranking>",
    }
)
_LOOKS_LIKE_PATH: Final = re.compile(r"[./~\\]|.*(/|\.jsonl|\.json|\.tsv|\.txt|\.md|\.gz)\Z", re.S)


def settings_digest(settings: Mapping[str, object]) -> str:
    """Short digest of settings: 12 hex digits of their ``json-ascii-v1`` digest."""
    return json_ascii_v1_digest(dict(settings))[:_DIGITS]


def derived_pipeline(
    prefix: str, settings: Mapping[str, object], *, depth: int, threshold: float | None = None
) -> str:
    """Pipeline label of a built-in: a readable prefix, all settings as a digest, the depth.

    Args:
        prefix: what it is, such as ``bm25``.
        settings: every setting that can alter a ranking, library and version included.
        depth: limit that the retriever is called with.
        threshold: score below which it drops documents, None without one.
    """
    return with_depth(f"{prefix}:{settings_digest(settings)}", depth, threshold)


def with_depth(pipeline: str, depth: int, threshold: float | None = None) -> str:
    """A pipeline label with the depth, and the threshold where there is one, appended.

    Raises:
        InvalidLabel: what was stated breaks the label rule, or says that there is no pipeline.
        InvalidSetting: the label would be longer than a label may be.

    Source: statements P-24, BP-15.
    """
    # What was stated is judged, not what becomes of it: a suffix would hide the sentinel.
    require_revision(pipeline, "pipeline_identity")
    suffix = f"+d{depth}" if threshold is None else f"+d{depth}+t{threshold!r}"
    if len(pipeline) + len(suffix) > MAX_IDENTITY_BYTES:
        raise InvalidSetting("pipeline", _too_long(suffix))
    return pipeline + suffix


def corpus_label_of(stated: str, root: Path, scope_field: str | None = None) -> str:
    """The corpus label that a declaration means: a label, or the digest of what a path names.

    Args:
        stated: a label, or the path of a corpus or of a manifest.
        root: folder that a relative path is tried from after the working directory.
        scope_field: field of a document that holds its access scope.

    Raises:
        InvalidFile: it looks like a path and nothing is there, or what is there is no corpus. A
            mistyped path must not pass as a label.
    """
    path = find_path(stated, root)
    if path is not None:
        return corpus_digest_of(path, scope_field)
    if _LOOKS_LIKE_PATH.match(stated):
        raise InvalidFile(stated, "does not exist")
    return stated


def find_path(stated: str, root: Path) -> Path | None:
    """What a text names as a path, in the working directory or else in a folder; None if nothing.

    Args:
        stated: a path, absolute or relative, or something else.
        root: folder that a relative path is tried from after the working directory.
    """
    if not stated or "\0" in stated:
        # Nothing at all would be the working directory.
        return None
    for path in (Path(stated), root / stated):
        try:
            if path.exists():
                return path
        except OSError:
            # Longer than a name can be: not a path.
            return None
    return None


def paste_lines(
    name: str,
    reference: str,
    *,
    table: str = "tool.evenhand.retrievers",
    stated: Mapping[str, str | None] = MappingProxyType({}),
) -> str:
    """The lines to paste into a configuration file that give a retriever its provenance.

    Each value still to be filled in is no legal label, so a line pasted and forgotten is refused.

    Args:
        name: name to give to the retriever.
        reference: what was typed to name it.
        table: table of the retrievers in that file; in ``evenhand.toml`` it is ``retrievers``.
        stated: labels that are known already, by name.
    """
    return "\n".join(
        (
            f"[{table}.{toml_key(name)}]",
            f"use = {_toml_text(reference)}",
            *(
                f"{label} = {_toml_text(stated.get(label) or open_value)}"
                for label, open_value in _OPEN.items()
            ),
        )
    )


def missing_lines(stated: Mapping[str, str | None]) -> str:
    """The lines that a table of a configured retriever lacks, empty where it lacks none.

    Args:
        stated: labels that are known already, by name.
    """
    return "\n".join(
        f"{label} = {_toml_text(open_value)}"
        for label, open_value in _OPEN.items()
        if not stated.get(label)
    )


def toml_key(name: str) -> str:
    """A name as the key of a TOML table, quoted where it has to be."""
    return name if _BARE_KEY.fullmatch(name) else _toml_text(name)


def _toml_text(text: str) -> str:
    # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
    shown = msgspec.json.encode(text.encode("utf-8", "replace").decode()).decode()
    return shown.replace("\x7f", "\\u007f")


def _too_long(suffix: str) -> str:
    return f"with {suffix} appended must be at most {MAX_IDENTITY_BYTES} bytes long"
