import shutil
import subprocess
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.wrapped import (
    CAPABILITIES,
    FunctionRetriever,
    WrappedRetriever,
    imported_provenance,
    require_agreement,
    stated_provenance,
)
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity.labels import NOT_APPLICABLE
from evenhand.core.identity.provenance import (
    RetrievalProvenance,
    RetrievalProvenanceProvider,
    take_provenance,
)
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import (
    BatchRetriever,
    QueryIdRetriever,
    Retriever,
    ScoredRetriever,
)
from tests.builders import a_provenance
from tests.conftest import require_or_skip

PROTOCOLS: dict[str, Any] = {
    "retrieve_scored": ScoredRetriever,
    "retrieve_many": BatchRetriever,
    "retrieve_for": QueryIdRetriever,
    "get_retrieval_provenance": RetrievalProvenanceProvider,
}
SUBSETS = [some for size in range(6) for some in combinations(CAPABILITIES, size)]

FULL = Declaration(
    corpus="corpus-1", model="model-1", chunking="chunks-1", pipeline="mine", execution="rev-1"
)


def with_capabilities(*names: str) -> Any:
    """A retriever with these capabilities, each of which answers with its own name."""

    def answer(name: str) -> Callable[..., object]:
        return lambda self, *given: name

    body: dict[str, object] = {name: answer(name) for name in names}
    body["identifier"] = "inner"
    body["retrieve"] = answer("retrieve")
    return type("Inner", (), body)()


def wrap(inner: Retriever, provenance: RetrievalProvenance | None = None) -> WrappedRetriever:
    return WrappedRetriever(inner, identifier="outer", provenance=provenance, basis=Basis.LOCAL)


def has(retriever: object, capability: str) -> bool:
    if capability in PROTOCOLS:
        return isinstance(retriever, PROTOCOLS[capability])
    return callable(getattr(retriever, capability, None))


@pytest.mark.proves("P-02")
@pytest.mark.parametrize("names", SUBSETS)
def test_wrapper_has_exactly_the_capabilities_of_what_it_wraps(names: tuple[str, ...]) -> None:
    wrapped: Any = wrap(with_capabilities(*names))

    assert {name for name in CAPABILITIES if has(wrapped, name)} == set(names)
    assert isinstance(wrapped, Retriever)
    assert wrapped.identifier == "outer"
    assert wrapped.retrieve("q", 12) == "retrieve"
    for name in names:
        assert getattr(wrapped, name)() == name


@pytest.mark.parametrize("names", SUBSETS)
def test_declaration_is_the_only_capability_that_is_added(names: tuple[str, ...]) -> None:
    declared = a_provenance()
    wrapped = wrap(with_capabilities(*names), declared)

    found = {name for name in CAPABILITIES if has(wrapped, name)}
    assert found == {*names, "get_retrieval_provenance"}
    assert take_provenance(wrapped) is declared


def test_capability_of_one_wrapper_is_not_given_to_another() -> None:
    wrap(with_capabilities("retrieve_scored"), a_provenance())

    assert not has(wrap(with_capabilities()), "retrieve_scored")
    assert take_provenance(wrap(with_capabilities())) is None


def test_plain_function_is_called_by_position() -> None:
    retriever = FunctionRetriever("mine", lambda *given: [repr(given)])

    assert retriever.retrieve("q", 3) == ["('q', 3)"]
    assert take_provenance(retriever) is None


@pytest.mark.proves("P-26")
def test_stated_labels_become_a_declaration_with_the_depth_appended(tmp_path: Path) -> None:
    assert stated_provenance(FULL, root=tmp_path, depth=12) == RetrievalProvenance(
        "corpus-1", "model-1", "chunks-1", "mine+d12", "rev-1"
    )


def test_sentinel_is_stated_and_never_filled_in(tmp_path: Path) -> None:
    stated = Declaration(
        corpus="c", model=NOT_APPLICABLE, chunking=NOT_APPLICABLE, pipeline="p", execution="r"
    )
    declared = stated_provenance(stated, root=tmp_path, depth=3)

    assert declared == RetrievalProvenance("c", NOT_APPLICABLE, NOT_APPLICABLE, "p+d3", "r")


@pytest.mark.proves("P-08", "P-25")
@pytest.mark.parametrize("missing", ["corpus", "model", "chunking", "pipeline"])
def test_missing_label_leaves_the_provenance_unknown(tmp_path: Path, missing: str) -> None:
    labels: dict[str, str] = dict.fromkeys(("corpus", "model", "chunking", "pipeline"), "stated")
    del labels[missing]

    assert stated_provenance(Declaration(**labels), root=tmp_path, depth=12) is None


@pytest.mark.parametrize("label", ["model", "chunking", "pipeline", "execution"])
def test_illegal_label_is_refused_unrepeated(tmp_path: Path, label: str) -> None:
    stated = Declaration(**{**vars_of(FULL), label: "can ary"})

    with pytest.raises(InvalidLabel) as caught:
        stated_provenance(stated, root=tmp_path, depth=12)
    assert "can ary" not in str(caught.value)


def test_execution_defaults_to_the_commit_and_is_unknown_outside_a_repository(
    tmp_path: Path,
) -> None:
    told: list[str] = []
    for execution in (None, "git"):
        stated = Declaration(**{**vars_of(FULL), "execution": execution})
        declared = stated_provenance(stated, root=tmp_path, depth=12, tell=told.append)
        assert declared is not None
        assert declared.execution_revision is None
    # Whoever asked for it is told why; to all others no repository is nothing to hear of.
    assert told == [
        "the execution is unknown: the folder is in no git repository that can be read"
    ]


@pytest.mark.parametrize("execution", [None, "git"])
def test_a_commit_of_somebody_else_s_repository_is_not_taken(
    tmp_path: Path, execution: str | None
) -> None:
    require_or_skip(shutil.which("git"), "git")
    who = ("-c", "user.name=A Test", "-c", "user.email=a@example.test")
    for arguments in (("init", "-q"), (*who, "commit", "-q", "--allow-empty", "-m", "One")):
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True)
    (tmp_path / "project").mkdir()
    stated = Declaration(**{**vars_of(FULL), "execution": execution})
    told: list[str] = []

    declared = stated_provenance(stated, root=tmp_path / "project", depth=12, tell=told.append)

    assert declared is not None
    assert declared.execution_revision is None
    assert told == [
        "the execution is unknown: the git repository around the folder tracks nothing in it"
    ]


SHA = "a" * 64


def test_run_file_without_a_stated_corpus_is_unknown(tmp_path: Path) -> None:
    stated = Declaration(model="m", chunking="c", pipeline="p")

    assert imported_provenance(stated, SHA, root=tmp_path, depth=12) is None


def test_run_file_with_a_stated_corpus_is_named_by_its_digest(tmp_path: Path) -> None:
    declared = imported_provenance(Declaration(corpus="c"), SHA, root=tmp_path, depth=12)

    assert declared == RetrievalProvenance(
        "c", f"imported:{SHA}", f"imported:{SHA}", f"imported:{SHA}+d12", None
    )


def test_stated_labels_of_a_run_file_win(tmp_path: Path) -> None:
    assert imported_provenance(FULL, SHA, root=tmp_path, depth=3) == RetrievalProvenance(
        "corpus-1", "model-1", "chunks-1", "mine+d3", "rev-1"
    )


OWN = a_provenance(execution="rev-1")
OWN_LABELS = {
    "corpus": "corpus-1",
    "model": "model-1",
    "chunking": "chunks-1",
    "pipeline": "pipeline-1",
    "execution": "rev-1",
}


def vars_of(stated: Declaration) -> dict[str, str | None]:
    return {name: getattr(stated, name) for name in OWN_LABELS}


def test_labels_that_agree_with_the_own_declaration_are_accepted(tmp_path: Path) -> None:
    require_agreement(OWN, Declaration(**OWN_LABELS), root=tmp_path)
    require_agreement(OWN, Declaration(), root=tmp_path)


@pytest.mark.parametrize("label", OWN_LABELS)
def test_label_that_contradicts_the_own_declaration_is_refused_unrepeated(
    tmp_path: Path, label: str
) -> None:
    with pytest.raises(InvalidSetting) as caught:
        require_agreement(OWN, Declaration(**{label: "canary"}), root=tmp_path)
    assert caught.value.name == label
    assert "canary" not in str(caught.value)


def test_what_one_declaration_leaves_open_comes_from_the_other() -> None:
    flags = Declaration(model="flag")

    assert flags.over(FULL) == Declaration(**{**vars_of(FULL), "model": "flag"})
    assert Declaration().over(FULL) == FULL
    assert FULL.over(Declaration()) == FULL
    assert Declaration().is_empty
    assert not flags.is_empty
