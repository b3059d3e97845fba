"""Why is there no result, or not the one that was asked for? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Conflict, EvenhandError, Invalid, NotFound


class InvalidBaseline(Invalid):
    """A result cannot be a baseline."""

    code = "invalid_baseline"

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class EvaluationNotFound(NotFound):
    """No stored evaluation, or more than one, answers to this reference."""

    code = "evaluation_not_found"

    def __init__(self, reference: str, why: str = "no stored evaluation matches") -> None:
        super().__init__(f"evaluation {reference!r}: {why}")
        self.reference = reference


class BaselineNotFound(NotFound):
    """No baseline is pinned, or more than one where one was asked for."""

    code = "baseline_not_found"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class EvaluationExists(Conflict):
    """An evaluation with this id is stored already; nothing was changed."""

    code = "evaluation_exists"

    def __init__(self, evaluation_id: str) -> None:
        super().__init__(f"evaluation {evaluation_id} is stored already; nothing was changed")
        self.evaluation_id = evaluation_id


class EvaluationFailed(EvenhandError):
    """An evaluation ended without a result; nothing was stored."""

    code = "evaluation_failed"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class ProvenanceFailed(EvaluationFailed):
    """A retriever has the provenance capability but did not give a declaration (G-02)."""

    code = "provenance_failed"


class NothingScored(EvaluationFailed):
    """No question of the set could be scored.

    Attributes:
        is_judged: whether a question is judged; then retrieval failed for every one that is.
    """

    code = "nothing_scored"

    def __init__(self, why: str, *, is_judged: bool) -> None:
        super().__init__(why)
        self.is_judged = is_judged


class TooManyFailed(EvaluationFailed):
    """Too many questions of a result failed for it to be a baseline; nothing was written.

    Attributes:
        failed, attempted: numbers of questions.
    """

    code = "too_many_failed"

    def __init__(self, failed: int, attempted: int) -> None:
        super().__init__(
            f"{failed} of {attempted} questions failed, a larger share than max_failed_share "
            "allows; no baseline was made of this result"
        )
        self.failed = failed
        self.attempted = attempted
