"""What does a refused call answer? A problem document (RFC 9457) with a stable code."""

from __future__ import annotations

from pydantic import Field

from evenhand.wire.shapes import Answer


class FieldProblem(Answer):
    """One member of the request that breaks a rule; its value is never repeated."""

    field: str = Field(description="Where it is, such as body.name or query.limit.")
    code: str = Field(description="Which rule it breaks.")


class Problem(Answer):
    """A problem document. Match on the code; title and detail are for people."""

    type: str = Field(description="A name of the kind of problem: urn:evenhand:problem: and code.")
    title: str
    status: int = Field(ge=400, le=599)
    code: str = Field(description="Stable, lowercase with underscores.")
    detail: str | None = Field(
        default=None, description="What is wrong, without any value that was submitted."
    )
    fields: list[FieldProblem] | None = Field(
        default=None, description="Members of the request that break a rule, where that is known."
    )
