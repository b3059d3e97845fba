"""No text of the product says more than is known (DESIGN 13, statement G-76).

Searched are the strings of the Python sources (docstrings, messages, help), every other text file
of the package, the README, the change log and the docs. A page that must quote what is not to be
said gets an exact entry in `QUOTED`; a negation alone excuses nothing.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT_FILES = {".j2", ".css", ".html", ".toml", ".json", ".jsonl", ".yaml", ".md", ".txt", ".sql"}

#: A blank line, a list item, a table row or a heading begins a new block.
BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#>]|\d+\.)\s?)")
SENTENCES = re.compile(r"(?<=[.!?])\s")

CLAIMS = {
    "a corpus was verified": (
        r"\bverified (?:the )?corp(?:us|ora)\b"
        r"|\bcorp(?:us|ora) (?:is|are|was|were|has been|have been) verified\b"
        r"|\bverif(?:y|ies) (?:the|that the|your) corpus\b"
    ),
    "labels prove a frozen corpus": (
        r"\bfrozen corp(?:us|ora)\b|\bcorp(?:us|ora) (?:is|was|were|stays|stayed) frozen\b"
        r"|\b(?:labels?|fingerprints?|revisions?|digests?) (?:prove|guarantee|ensure)s?\b"
    ),
    "remote weights are pinned": (
        r"\bpinned (?:remote )?(?:model )?weights\b|\bweights (?:are|were|stay|stayed) pinned\b"
        r"|\bpins the (?:remote )?(?:model'?s? )?weights\b|\bkept its weights\b"
    ),
    "credentials are detected": (
        r"\bdetects? (?:all |any )?(?:credentials|secrets)\b"
        r"|\b(?:credential|secret) detection\b|\bguarantees? that no secret\b"
    ),
    "feedback was read": r"\b(?:is|are|was|were|been) (?:seen or )?read by\b",
    "behaviour changed": (
        r"\bbehaviou?r (?:has |was |is )?changed\b|\bchanged (?:its |the |their )?behaviou?r\b"
    ),
    "something was promoted": r"\bpromoted\b|\bpromotion (?:was |is |has been )?performed\b",
    "ready for production": (
        r"\bproduction[- ](?:ready|readiness|grade)\b|\bready for production\b"
        r"|\brelease[- ]candidate read(?:y|iness)\b"
    ),
    "an external process stopped": (
        r"\bexternal process(?:es)? (?:is|are|was|were|has|have)? ?(?:been )?(?:stopped|ended)\b"
        r"|\baccelerator memory (?:is|was|came|has been) (?:free|freed|released)\b"
    ),
    "rankings were independently measured": r"\bindependently measured\b",
    "a comparison authorises a replacement": (
        r"\b(?:eligible|evaluation|comparison|summary) (?:authori[sz]es|permits|allows) (?:a |the )?"
        r"(?:replacement|promotion)\b|\bsafe to (?:promote|replace)\b"
        r"|\bcandidate may (?:now )?(?:replace|be promoted)\b"
    ),
    "a live consumer was qualified": (
        r"\b(?:live|real) consumers? (?:is|are|was|were|has been|have been) (?:qualified|executed|run)\b"
        r"|\bqualif(?:y|ies) (?:the|a) (?:live|real) consumer\b"
        r"|\bgreen tests (?:qualify|imply)\b"
    ),
    "equal digests mean equal evidence": (
        r"\bbyte-identical sandbox(?:es)?\b|\bsemantically equivalent\b|\bsemantic equivalence\b"
    ),
    "there is no difference": (
        r"\b(?:is|was|are|were|finds?|found|shows?|showed|makes?|made|means?) no difference\b"
    ),
}

#: Sentences that name a claim in order to deny it: (file, the sentence as it is found).
QUOTED = {
    (
        "docs/concepts.md",
        (
            "They do not prove that a corpus was frozen, nor that a remote model alias kept its "
            "weights"
        ),
    ),
    (
        "src/evenhand/core/comparison/previous.py",
        (
            "Without a ``comparable`` verdict there is no difference, no regression and no flip "
            "in the value, so that nothing downstream could show one"
        ),
    ),
    (
        "src/evenhand/core/identity/provenance.py",
        (
            "Labels state what the consumer ran: they prove neither that a corpus was frozen nor "
            "that a remote model kept its weights"
        ),
    ),
}


@dataclass(frozen=True)
class Sentence:
    file: str
    text: str


def _texts(path: Path) -> Iterator[str]:
    content = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield content
        return
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            # The fixed parts of an f-string as one text: a claim may span a value.
            parts = (part.value for part in node.values if isinstance(part, ast.Constant))
            yield " ".join(str(part) for part in parts)


def _sentences(path: Path, file: str) -> Iterator[Sentence]:
    for text in _texts(path):
        for block in BLOCKS.split(text):
            flat = " ".join(block.split())
            for part in SENTENCES.split(flat):
                yield Sentence(file, part.strip().rstrip(".!?"))


@cache
def _product() -> tuple[Sentence, ...]:
    package = [path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", *TEXT_FILES}]
    docs = [
        path
        for folder in ("docs", "examples")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", *TEXT_FILES}
    ]
    loose = [path for path in ROOT.iterdir() if path.suffix == ".md"]
    return tuple(
        sentence
        for path in sorted(package + docs + loose)
        for sentence in _sentences(path, path.relative_to(ROOT).as_posix())
    )


def _found(claim: str) -> list[Sentence]:
    pattern = re.compile(CLAIMS[claim], re.IGNORECASE)
    return [sentence for sentence in _product() if pattern.search(sentence.text)]


def _unexcused(claim: str) -> list[Sentence]:
    return [found for found in _found(claim) if (found.file, found.text) not in QUOTED]


@pytest.mark.proves("G-76")
@pytest.mark.parametrize("claim", CLAIMS)
def test_no_text_of_the_product_claims_it(claim: str) -> None:
    assert _unexcused(claim) == []


@pytest.mark.proves("P-28")
def test_no_text_says_that_labels_prove_a_frozen_corpus() -> None:
    assert _unexcused("labels prove a frozen corpus") == []
    assert _unexcused("a corpus was verified") == []


@pytest.mark.proves("P-29")
def test_no_text_says_that_a_remote_alias_kept_its_weights() -> None:
    assert _unexcused("remote weights are pinned") == []


@pytest.mark.proves("C-89", "C-98")
def test_no_text_lets_a_comparison_authorise_or_measure_more_than_it_does() -> None:
    assert _unexcused("a comparison authorises a replacement") == []
    assert _unexcused("rankings were independently measured") == []


@pytest.mark.proves("C-103")
def test_no_text_says_that_a_state_shows_of_a_process_that_it_ended() -> None:
    assert _unexcused("an external process stopped") == []
    page = (ROOT / "docs" / "comparisons.md").read_text(encoding="utf-8")
    assert "It does not show that a program elsewhere came to an end" in page


@pytest.mark.proves("C-04", "C-121", "C-122", "C-123")
def test_no_text_takes_an_implementation_for_a_qualification() -> None:
    for claim in (
        "a live consumer was qualified",
        "something was promoted",
        "ready for production",
    ):
        assert _unexcused(claim) == []
    ledger = (ROOT / "docs" / "release-ledger.md").read_text(encoding="utf-8")
    _, _, not_qualified = ledger.partition("Not qualified by any of it:")
    for what in ("live consumer", "put into production", "candidate for release"):
        assert what in not_qualified


@pytest.mark.proves("P-21")
def test_no_text_says_that_the_syntax_check_detects_credentials() -> None:
    assert _unexcused("credentials are detected") == []


def test_each_quotation_is_still_there() -> None:
    found = {(one.file, one.text) for claim in CLAIMS for one in _found(claim)}

    assert found >= QUOTED


PLANTED = {
    "a corpus was verified": "The corpus has been verified.",
    "labels prove a frozen corpus": "Equal labels prove that nothing moved.",
    "remote weights are pinned": "The run used pinned remote weights.",
    "credentials are detected": "The label check detects credentials.",
    "feedback was read": "The finding was read by the agent.",
    "behaviour changed": "The agent changed its behaviour.",
    "something was promoted": "The candidate was promoted.",
    "ready for production": "This makes it production-ready.",
    "an external process stopped": "The external process has ended.",
    "rankings were independently measured": "These rankings were independently measured.",
    "a comparison authorises a replacement": "An eligible evaluation authorises replacement.",
    "a live consumer was qualified": "A live consumer was qualified.",
    "equal digests mean equal evidence": "Equal digests mean semantically equivalent evidence.",
    "there is no difference": "There is no difference between the two.",
}


@pytest.mark.parametrize(("claim", "text"), PLANTED.items())
def test_the_search_finds_the_claim_in_each_kind_of_file(
    claim: str, text: str, tmp_path: Path
) -> None:
    first, _, rest = text.partition(" ")
    middle = rest.replace(" ", "\n", 1)
    files = {
        "message.py": f'def f() -> str:\n    return ("{first} "\n        "{rest}")\n',
        "value.py": f'def f(x: str) -> str:\n    return f"{{x}}: {text}"\n',
        "docstring.py": f'"""{first}\n{middle}\n"""\n',
        "page.html.j2": f"<p>{first}\n  {middle}</p>",
        "page.md": f"- {first}\n  {middle}",
    }

    for name, content in files.items():
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        sentences = _sentences(path, name)
        pattern = re.compile(CLAIMS[claim], re.IGNORECASE)
        assert any(pattern.search(sentence.text) for sentence in sentences), name


def test_a_denial_alone_excuses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("Evenhand never says that the corpus was verified.", encoding="utf-8")

    [sentence] = _sentences(path, "page.md")

    assert re.search(CLAIMS["a corpus was verified"], sentence.text)
    assert (sentence.file, sentence.text) not in QUOTED
