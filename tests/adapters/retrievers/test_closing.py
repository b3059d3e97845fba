"""Closing a retriever loses nothing that it gave."""

import pytest

from evenhand.adapters.retrievers.closing import close_quietly

CANARY = "closing-canary-2b"


class Closing:
    def __init__(self, error: BaseException | None) -> None:
        self._error = error
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True
        if self._error is not None:
            raise self._error


@pytest.mark.parametrize(
    "error",
    [OSError(CANARY), SystemExit(CANARY), SystemExit(0), GeneratorExit(CANARY)],
    ids=["error", "exit-text", "exit-zero", "generator-exit"],
)
def test_what_closing_raises_is_told_by_its_class_and_goes_no_further(
    error: BaseException,
) -> None:
    told: list[str] = []
    retriever = Closing(error)

    close_quietly(retriever, told.append)

    assert retriever.is_closed
    assert told == [f"closing the retriever raised {type(error).__name__}; its results are kept"]


def test_ctrl_c_during_closing_is_obeyed() -> None:
    told: list[str] = []

    with pytest.raises(KeyboardInterrupt):
        close_quietly(Closing(KeyboardInterrupt()), told.append)
    assert told == []


@pytest.mark.parametrize("retriever", [Closing(None), object()], ids=["quiet", "without"])
def test_nothing_is_told_where_nothing_went_wrong(retriever: object) -> None:
    told: list[str] = []

    close_quietly(retriever, told.append)

    assert told == []
