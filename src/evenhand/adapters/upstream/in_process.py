"""How is an embedder in this process called without holding up everybody else?

Each has a thread of its own, in which it is loaded and called: models are often not safe to call
from two threads, and what they hold on to stays with one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from evenhand.adapters.embedders.protocol import Embedder, Kind
from evenhand.core.gateway.call import Reply, Vectors
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose

#: Dimensions of an array with one vector a row, and which kinds of numbers of how many bytes a
#: vector may be of: what JSON and float64 hold.
_TABLE: Final = 2
_NUMBERS: Final = "fiu"
_WIDEST: Final = 8


class InProcess:
    """One embedder and its thread.

    Args:
        load: gives the embedder; called once, in the thread, at the first call.
        seconds: how long a call may take, above 0.
    """

    def __init__(self, load: Callable[[], Embedder], *, seconds: float) -> None:
        self._load = load
        self._seconds = seconds
        self._embedder: Embedder | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    async def call(self, texts: Sequence[str], purpose: Purpose) -> Reply:
        """Vectors for some texts, or why there are none."""
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._thread, self._embed, list(texts), purpose)
        try:
            vectors = await asyncio.wait_for(done, self._seconds)
        except TimeoutError:
            # The thread goes on: nothing can stop it, and the next call waits for it.
            return Reply(failure=Failure.TIMED_OUT)
        except Exception:  # noqa: BLE001 -- somebody's model; its message may hold a text
            return Reply(failure=Failure.EMBEDDER_FAILED)
        return Reply(vectors=vectors)

    def close(self) -> None:
        """Take no more calls, and wait for the one that runs."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        if self._embedder is None:
            self._embedder = self._load()
        kind: Kind = "query" if purpose is Purpose.QUERY else "document"
        return _vectors(self._embedder.embed(texts, kind))


def _vectors(given: object) -> Vectors:
    """What an embedder gave, as vectors.

    Raises:
        TypeError: it is no table of numbers.
    """
    # Not before the first call, by which the embedder has loaded it.
    import numpy as np

    if not isinstance(given, np.ndarray) or given.ndim != _TABLE:
        raise TypeError("an embedder gives an array of two dimensions")
    if given.dtype.kind not in _NUMBERS or given.dtype.itemsize > _WIDEST:
        raise TypeError("an embedder gives numbers")
    vectors: Vectors = np.asarray(given).tolist()
    return vectors
