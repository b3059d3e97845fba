"""Which files did a run get, as one digest, independent of their order?

``root_digest`` covers paths and contents (a prompt's scaffolding). ``inputs_digest`` has the same
frame but leaves the id of the job out of the contents, so that two jobs over equal files agree.
Equal digests say that the covered bytes are equal; they do not say that two sandboxes were.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Final

from evenhand.core.errors import InvalidText
from evenhand.core.errors.identity import InvalidPath
from evenhand.core.identity.canonical import sha256_hex

MAX_INPUT_BYTES: Final = 2**32 - 1
"""The longest file that ``inputs_digest`` takes: a segment's length is written in four bytes."""

# Hexadecimal groups only: the digest does not ask for an RFC 4122 version.
_JOB_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def root_digest(files: Iterable[tuple[str, bytes]]) -> str:
    """Digest over paths and contents as 64 lowercase hex digits.

    SHA-256 over, for each path in byte order of its UTF-8: the path, one NUL, the hex SHA-256 of
    the content, one LF. No files give the SHA-256 of nothing.

    Args:
        files: path and content, in any order, all of them: what was merged from several sources
            and what was staged on disk alike.

    Raises:
        InvalidPath: an unsafe path, or one that occurs twice.

    Source: statements R-14, R-18, BR-01, G-22 to G-24.
    """
    return _framed_digest(files, sha256_hex)


def inputs_digest(files: Iterable[tuple[str, bytes]], *, job_id: str) -> str:
    """Digest over paths and contents with the job's id left out of the contents.

    The frame is that of :func:`root_digest`, the content digest that of :func:`elided_digest`.
    Paths are taken as they are; see :func:`require_paths_without_job_id`.

    Raises:
        InvalidPath: an unsafe path, one that occurs twice, or a file that is too long.
        InvalidText: ``job_id`` is not a lowercase hyphenated id.

    Source: statements R-15 to R-19, BR-02, BR-03.
    """
    needle = _job_id_bytes(job_id)
    return _framed_digest(files, lambda content: _elided(content, needle))


def elided_digest(content: bytes, *, job_id: str) -> str:
    """Digest of one content without the job's id, as 64 lowercase hex digits.

    SHA-256 over the segments between the occurrences of the id, found left to right without
    overlap, each segment (empty ones too) preceded by its length as four bytes, big-endian. So a
    file without the id does not have its plain digest. Uppercase, unhyphenated or other ids are
    content.

    Raises:
        InvalidPath: the content has 4 GiB or more.
        InvalidText: ``job_id`` is not a lowercase hyphenated id.
    """
    return _elided(content, _job_id_bytes(job_id))


def require_paths_without_job_id(paths: Iterable[str], *, job_id: str) -> None:
    """Check, for whoever prepares the inputs of a job, that no path holds the job's id.

    Paths are not elided, so such a path would make each job's digest unique.

    Raises:
        InvalidPath: a path holds the id; the position counts from 1.
        InvalidText: ``job_id`` is not a lowercase hyphenated id.

    Source: statement G-25.
    """
    needle = _job_id_bytes(job_id).decode("ascii")
    for position, path in enumerate(paths, start=1):
        if needle in path:
            raise InvalidPath("must not hold the id of the job", position=position)


def require_safe_paths(paths: Iterable[str]) -> None:
    """Check that paths are ones that the digests take.

    Raises:
        InvalidPath: an unsafe path; the position counts from 1.

    Source: statement G-22.
    """
    for position, path in enumerate(paths, start=1):
        _path_bytes(path, position)


def require_input_size(size: int, *, position: int | None = None) -> None:
    """Check the size in bytes of a file before it is read.

    Raises:
        InvalidPath: 4 GiB or more.
    """
    if size > MAX_INPUT_BYTES:
        raise InvalidPath("is of 4 GiB or more", position=position)


def _framed_digest(
    files: Iterable[tuple[str, bytes]], digest_content: Callable[[bytes], str]
) -> str:
    entries: dict[bytes, str] = {}
    for position, (path, content) in enumerate(files, start=1):
        key = _path_bytes(path, position)
        if key in entries:
            raise InvalidPath("occurs twice", position=position)
        entries[key] = digest_content(content)
    frame = hashlib.sha256()
    # Bytes, not text: with UTF-16 units U+1F600 would come before U+FF5E.
    for key in sorted(entries):
        frame.update(key + b"\x00" + entries[key].encode("ascii") + b"\n")
    return frame.hexdigest()


def _elided(content: bytes, needle: bytes) -> str:
    require_input_size(len(content))
    digest = hashlib.sha256()
    for segment in content.split(needle):
        digest.update(len(segment).to_bytes(4, "big"))
        digest.update(segment)
    return digest.hexdigest()


def _path_bytes(path: str, position: int) -> bytes:
    if not path:
        raise InvalidPath("is empty", position=position)
    # One path with NUL, 64 hex digits and LF would digest like two files.
    if "\x00" in path:
        raise InvalidPath("holds NUL", position=position)
    if path.startswith("/"):
        raise InvalidPath("starts with /", position=position)
    if ".." in path.split("/"):
        raise InvalidPath("has a .. segment", position=position)
    try:
        return path.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidPath("holds a lone surrogate", position=position) from None


def _job_id_bytes(job_id: str) -> bytes:
    if _JOB_ID.fullmatch(job_id) is None:
        raise InvalidText("job_id", "must be a lowercase hyphenated id of 36 characters")
    return job_id.encode("ascii")
