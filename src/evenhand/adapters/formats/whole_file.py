"""How is a file written so that it is there as a whole, or not at all?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from evenhand.core.errors import InvalidFile


@contextmanager
def writing(path: Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file when the block ends well.

    When the block raises, nothing of it stays and a file that was there is untouched. What is no
    file, such as a pipe or ``/dev/stdout``, is written to as it is, never replaced.

    Args:
        path: the file.
        mode: permissions of a file, from its first byte; None leaves them to the umask.

    Raises:
        InvalidFile: the file cannot be written.
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
        part.replace(path)
    except OSError as error:
        raise InvalidFile(str(path), _unwritable(error)) from None
    finally:
        part.unlink(missing_ok=True)


def _unwritable(error: OSError) -> str:
    return f"cannot be written: {error.strerror or type(error).__name__}"
