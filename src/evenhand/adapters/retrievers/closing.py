"""How is a retriever closed without losing what it gave?"""

from __future__ import annotations

from collections.abc import Callable


def close_quietly(retriever: object, tell: Callable[[str], None]) -> None:
    """Close what has ``close``; whatever it raises is told and goes no further, but for Ctrl-C.

    The answers are there by then: a fault of closing is no reason to lose them, nor is a
    retriever that would end the program from there.

    Args:
        retriever: what may have ``close``.
        tell: hears of a fault; the class of the error, never its text.
    """
    close = getattr(retriever, "close", None)
    if not callable(close):
        return
    try:
        close()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 -- SystemExit and its like are no Exception
        tell(f"closing the retriever raised {type(error).__name__}; its results are kept")
