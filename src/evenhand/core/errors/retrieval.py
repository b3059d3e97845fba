"""What of a golden set, of judgements, of a ranking or of a retriever is wrong? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import EvenhandError, Invalid, NotFound

#: Characters of a name of somebody else's that a message repeats.
_NAME_SHOWN = 80


class InvalidGoldenSet(Invalid):
    """A golden question or a golden set breaks a rule."""

    code = "invalid_golden_set"

    def __init__(self, rule: str, *, question: int | None = None) -> None:
        where = "golden set" if question is None else f"question {question}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.question = question


class InvalidQrels(Invalid):
    """Relevance judgements break a rule."""

    code = "invalid_qrels"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "qrels" if position is None else f"qrels, row {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class InvalidRanking(Invalid):
    """What a retriever or a run file gave is not a ranking."""

    code = "invalid_ranking"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "ranking" if position is None else f"ranking, result {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class InvalidMeasure(Invalid):
    """A name of a measure cannot be read. Names the first wrong character, from 1, and the rule."""

    code = "invalid_measure"

    def __init__(self, name: str, rule: str, position: int, near: tuple[str, ...] = ()) -> None:
        hint = f" (near: {', '.join(near)})" if near else ""
        shown = name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
        super().__init__(f"measure {shown!r}, character {position}: {rule}{hint}")
        self.name = name
        self.rule = rule
        self.position = position
        self.near = near


class InvalidThreshold(Invalid):
    """A tolerance or share is not a decimal number within its range."""

    code = "invalid_threshold"

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name}: {rule}")
        self.name = name
        self.rule = rule


class GradesUnknown(Invalid):
    """The grades of the judgements behind a result were not kept, so a measure has no value."""

    code = "grades_unknown"

    def __init__(self, why: str = "the grades of its judgements were not kept") -> None:
        super().__init__(why)
        self.why = why


class GoldenSetNotFound(NotFound):
    """No golden set has this identifier or path."""

    code = "golden_set_not_found"

    def __init__(self, identifier: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(f"no golden set {identifier!r}{_known(known)}")
        self.identifier = identifier
        self.known = known


class RetrieverNotFound(NotFound):
    """No retriever has this identifier."""

    code = "retriever_not_found"

    def __init__(self, identifier: str, known: tuple[str, ...] = (), *, why: str = "") -> None:
        reason = f": {why}" if why else ""
        super().__init__(f"no retriever {identifier!r}{reason}{_known(known)}")
        self.identifier = identifier
        self.known = known


class RetrievalFailed(EvenhandError):
    """A retriever outside this process gave no answer to one question.

    Attributes:
        code: what went wrong, such as ``timeout``, ``http_503``, ``malformed_answer`` or the code
            that the retriever itself stated; never a text of its own.
    """

    code = "retrieval_failed"

    def __init__(self, code: str = "retrieval_failed") -> None:
        super().__init__(f"one question got no answer: {code}")
        self.code = code


class CodeFailed(EvenhandError):
    """Code that the user named raised when it was loaded; its own words are not repeated."""

    code = "code_failed"

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why


def _known(known: tuple[str, ...]) -> str:
    return f" (known: {', '.join(known)})" if known else ""
