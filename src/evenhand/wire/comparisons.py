"""Which two results does somebody want to be compared? The answer is ``evenhand.comparison/1``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evenhand.wire.shapes import Strict

Operand = Annotated[str, Field(min_length=1, max_length=255)]


class NewComparison(Strict):
    """Two results, and by which measure they are compared."""

    current: Operand = Field(
        description="Id of an evaluation or a unique prefix of one, a retriever's name (its "
        "latest result), latest, previous or baseline."
    )
    candidate: Operand = Field(description="The same; differences are candidate less current.")
    measure: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="What decides: a rate such as Success@1, or a graded measure such as nDCG@10.",
    )
