"""What of the registry or of a suite is unknown, taken, changed meanwhile or not allowed? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Conflict, Invalid, InvalidSetting, NotFound
from evenhand.core.errors.retrieval import InvalidGoldenSet


class InvalidSuite(InvalidGoldenSet):
    """A golden set cannot be frozen as a suite; the code says which rule is broken (G-47).

    Attributes:
        code: ``suite_size``, ``suite_review``, ``suite_corpus``, ``corpus_digest`` or
            ``retrieval_config_digest``.
        rule: what is wrong, in numbers; no id and no text of a question.
    """

    code = "invalid_suite"

    def __init__(self, code: str, rule: str) -> None:
        super().__init__(rule)
        self.code = code


class InvalidRetrievalSettings(InvalidSetting):
    """Retrieval settings of a suite hold what cannot be digested, or too much of it.

    Attributes:
        field: what they are called wherever they are given.
    """

    code = "invalid_retrieval_settings"
    field = "retrieval_settings"

    def __init__(self, rule: str, *, level: int | None = None) -> None:
        where = self.field if level is None else f"{self.field}, level {level}"
        super().__init__(where, rule)


class InvalidUpstream(Invalid):
    """The address of an upstream is none, or may not be called. It is never repeated.

    Attributes:
        code: ``invalid_upstream`` by its spelling, ``upstream_not_allowed`` by where it leads.
    """

    code = "invalid_upstream"

    def __init__(self, rule: str, *, code: str = "invalid_upstream") -> None:
        super().__init__(f"base_url: {rule}")
        self.field = "base_url"
        self.rule = rule
        self.code = code


class ReferenceRefused(Invalid):
    """Something is named that cannot be referred to.

    One that is unknown and one of another project are refused alike.

    Attributes:
        code: such as ``unknown_binding`` or ``inactive_binding``.
        field: where it was named.
    """

    code = "unknown_project"

    def __init__(self, noun: str, *, field: str | None = None, is_known: bool = False) -> None:
        self.field = field or f"{noun}_id"
        self.rule = "is not active" if is_known else "names nothing that is known here"
        super().__init__(f"{self.field}: {self.rule}")
        self.code = f"inactive_{noun}" if is_known else f"unknown_{noun}"


class RegisteredNotFound(NotFound):
    """Nothing in the registry has this id or name; somebody may have typed a secret.

    Attributes:
        code: such as ``project_not_found``.
    """

    code = "project_not_found"

    def __init__(self, noun: str) -> None:
        super().__init__(f"no {noun.replace('_', ' ')} has this id or name")
        # A hub says route_not_found of an address that it does not have.
        self.code = "model_route_not_found" if noun == "route" else f"{noun}_not_found"


class NameTaken(Conflict):
    """Another object of its kind has this name; nothing was changed."""

    code = "name_taken"

    def __init__(self, noun: str, name: str) -> None:
        what = noun.replace("_", " ")
        super().__init__(f"another {what} has the name {name!r}; nothing was changed")
        self.noun = noun
        self.name = name


class StableRouteExists(Conflict):
    """A binding has an active stable route already; nothing was changed."""

    code = "stable_route_exists"

    def __init__(self) -> None:
        super().__init__("the binding has an active stable route; nothing was changed")


class VersionConflict(Conflict):
    """Somebody changed an object since the caller saw it; nothing was changed."""

    code = "version_conflict"

    def __init__(self, object_id: str) -> None:
        super().__init__(f"{object_id} has another version than expected; nothing was changed")
        self.object_id = object_id


class SuiteInactive(Conflict):
    """Nothing can be frozen in a suite that is not active."""

    code = "suite_inactive"

    def __init__(self, suite_id: str) -> None:
        super().__init__(f"suite {suite_id} is not active; nothing was frozen")
        self.suite_id = suite_id
