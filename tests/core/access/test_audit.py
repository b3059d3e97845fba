from dataclasses import replace

import pytest

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import Invalid
from tests.builders import START, row_id

ENTRY = AuditEntry(
    id=row_id(1),
    at=START,
    actor=Actor(kind=ActorKind.HUB),
    action="create",
    object_kind="credential",
    object_id=row_id(2),
)


@pytest.mark.parametrize("field", ["action", "object_kind", "from_state", "to_state", "code"])
@pytest.mark.parametrize("text", ["", "A", "two words", "a" * 65, "evh_op_AAAA", "a\n"])
def test_an_entry_holds_words_and_no_other_text(field: str, text: str) -> None:
    with pytest.raises(Invalid, match=f"^{field}: must be a lowercase word") as refused:
        replace(ENTRY, **{field: text})  # type: ignore[arg-type]
    assert not text or text not in str(refused.value).removeprefix(field)


@pytest.mark.parametrize("field", ["from_state", "to_state", "code"])
def test_a_word_of_an_entry_may_be_missing(field: str) -> None:
    assert getattr(replace(ENTRY, **{field: None}), field) is None  # type: ignore[arg-type]
