import hashlib

import pytest

from evenhand.core.errors import InvalidText
from evenhand.core.review.observation import recurrence_key


def key(**changed: object) -> str:
    fields: dict[str, object] = {
        "practice_slug": "cites-its-sources",
        "artifact_kind": "rag.answer",
        "artifact_id": 42,
        "subject_id": 7,
        "first_evidence_path": "answers/a1.md",
    }
    return recurrence_key(**fields | changed)  # type: ignore[arg-type]


@pytest.mark.proves("BR-23")
def test_the_key_is_the_sha_256_of_the_five_fields_joined_by_0x1f() -> None:
    text = "cites-its-sources\x1frag.answer\x1f42\x1f7\x1fanswers/a1.md"
    assert key() == hashlib.sha256(text.encode()).hexdigest()
    assert (
        key(first_evidence_path=None)
        == hashlib.sha256(text.removesuffix("answers/a1.md").encode()).hexdigest()
    )


@pytest.mark.proves("BR-23")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("practice_slug", "other"),
        ("artifact_kind", "rag.retrieval_run"),
        ("artifact_id", 43),
        ("subject_id", 8),
        ("first_evidence_path", "answers/a2.md"),
        ("first_evidence_path", None),
    ],
)
def test_each_field_makes_another_concern(field: str, value: object) -> None:
    assert key(**{field: value}) != key()


@pytest.mark.proves("BR-23")
@pytest.mark.parametrize(
    ("spelling", "path"),
    [
        ("  Answers/A1.md ", "answers/a1.md"),
        ("a   b", "a b"),
        ("a\tb", "ab"),
        ("a \n b", "a b"),
        ("\x1fa\x7fb\x00", "ab"),
        (" ", ""),
    ],
)
def test_a_path_is_normalised(spelling: str, path: str) -> None:
    assert key(first_evidence_path=spelling) == key(first_evidence_path=path)


def test_an_id_may_be_text() -> None:
    assert key(artifact_id="42") == key(artifact_id=42)


@pytest.mark.parametrize("field", ["practice_slug", "artifact_kind", "artifact_id", "subject_id"])
def test_a_field_cannot_hold_the_separator(field: str) -> None:
    with pytest.raises(InvalidText):
        key(**{field: "a\x1fb"})
