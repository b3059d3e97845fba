"""How is an instant written in a row? As text that sorts like the time it stands for."""

from __future__ import annotations

from datetime import UTC, datetime


def time_to_text(instant: datetime) -> str:
    """``YYYY-MM-DDTHH:MM:SS.ffffffZ``, always 27 characters, always UTC (settled 3).

    Args:
        instant: aware; a naive one has no place on the time line.

    Raises:
        ValueError: naive.
    """
    if instant.tzinfo is None:
        raise ValueError("a stored time needs a zone")
    text = instant.astimezone(UTC).isoformat(timespec="microseconds")
    return text.removesuffix("+00:00") + "Z"


def text_to_time(text: str) -> datetime:
    """The aware UTC instant that :func:`time_to_text` wrote."""
    return datetime.fromisoformat(text)
