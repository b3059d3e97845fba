"""How does what a hub says of a result read, and what is it as JSON?"""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.reports.evaluation_document import HubDocument
from evenhand.usecases.ports import HubAnswer


def answer_lines(answer: HubAnswer) -> Iterator[str]:
    """Lines of text: under which id the hub keeps it, and whether it may be compared."""
    how = "stored" if answer.is_new else "was stored before"
    yield f"hub: {how} as {answer.evaluation_id}"
    before = "" if answer.previous_id is None else f" with {answer.previous_id} before it"
    why = f" ({', '.join(answer.reasons)})" if answer.reasons else ""
    yield f"hub: {answer.state}{before}{why}"


def answer_document(answer: HubAnswer) -> HubDocument:
    """The same as a JSON value."""
    return HubDocument(
        evaluation_id=answer.evaluation_id,
        is_new=answer.is_new,
        state=answer.state,
        reasons=list(answer.reasons),
        previous_id=answer.previous_id,
    )
