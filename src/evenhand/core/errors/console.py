"""Why is a form of the console refused? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import EvenhandError, Invalid
from evenhand.core.errors.access import Forbidden


class InvalidForm(Invalid):
    """A form is not what a page of the console sends. The value is not repeated.

    Attributes:
        field: of the form; ``form`` for the whole of it.
        rule: what is wrong.
    """

    code = "invalid_form"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class FormRefused(Forbidden):
    """A form does not come from a page of this session; nothing was changed."""

    code = "form_refused"

    def __init__(self) -> None:
        EvenhandError.__init__(
            self,
            "the form is not one of this session; nothing was changed; load its page anew and"
            " send it again",
        )
        self.code = "form_refused"
