"""Which identity cannot be taken, and why? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Invalid


class InvalidLabel(Invalid):
    """A provenance label breaks the label rule. The value is never repeated."""

    code = "invalid_label"

    def __init__(self, field: str, rule: str, *, code: str = "invalid_label") -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.code = code


class InvalidPath(Invalid):
    """A path of an injected file is unsafe to digest."""

    code = "unsafe_path"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "path" if position is None else f"path {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class UnknownEncoding(Invalid):
    """A tagged value has an encoding, version or spelling that no reader knows."""

    code = "unknown_encoding"

    def __init__(self, rule: str) -> None:
        super().__init__(f"tagged value: {rule}")
        self.rule = rule


class InvalidCorpus(Invalid):
    """A corpus or its manifest breaks a rule."""

    code = "invalid_corpus"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "corpus" if position is None else f"corpus, document {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position
