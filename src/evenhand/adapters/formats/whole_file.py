"""How is a file written so that it is there as a whole, or not at all? And how is one added to?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from evenhand.core.errors import InvalidFile, UnwritableFile

#: Errors that speak of the name that was given, not of what lies behind it.
_MISNAMED: Final = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


@contextmanager
def writing(path: Path, *, mode: int | None = None, durably: bool = False) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file when the block ends well.

    When the block raises, nothing of it stays and a file that was there is untouched. What is no
    file, such as a pipe or ``/dev/stdout``, is written to as it is, never replaced.

    Args:
        path: the file.
        mode: permissions of a file, from its first byte; None leaves them to the umask.
        durably: a file that is there outlives a power cut, and is whole after one.

    Raises:
        InvalidFile: the file cannot be written, because nothing can have this name; an
            `UnwritableFile` where the name is right, such as on a full disk.
    """
    # Beside the target, because only within one file system is a rename a single step.
    part = path.with_name(f".{path.name}.part")
    is_file = path.is_file() or not path.exists()
    try:
        if not is_file:
            with path.open("wb") as stream:
                yield stream
            return
        if mode is not None:
            part.touch(mode=mode)
            part.chmod(mode)
        with part.open("wb") as stream:
            yield stream
            if durably:
                stream.flush()
                os.fsync(stream.fileno())
        part.replace(path)
        if durably:
            _sync_folder(path.parent)
    except _MISNAMED as error:
        raise InvalidFile(str(path), _unwritable(error)) from None
    except OSError as error:
        raise UnwritableFile(str(path), _unwritable(error)) from None
    finally:
        _remove(part)


def add_to(path: Path, content: bytes, *, named_by: str) -> None:
    """Add to the end of a file that others add to as well.

    Args:
        path: the file.
        content: what is added.
        named_by: what says that it is this file, for the message.

    Raises:
        UnwritableFile: the file cannot be added to.
    """
    try:
        with path.open("ab") as added:
            added.write(content)
    except OSError as error:
        raise UnwritableFile(str(path), f"{_unwritable(error)} ({named_by})") from None


def _sync_folder(folder: Path) -> None:
    # The new name is an entry of the folder, which is written apart from the file.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(part: Path) -> None:
    # Beside a device or below a file nothing was made, and looking for it may be refused.
    with suppress(OSError):
        part.unlink(missing_ok=True)


def _unwritable(error: OSError) -> str:
    return f"cannot be written: {error.strerror or type(error).__name__}"
