import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.labels import paste_lines
from evenhand.adapters.retrievers.registry import (
    BUILT_IN,
    RetrieverRegistry,
    adapt,
    basis_of,
    resolve,
)
from evenhand.adapters.retrievers.wrapped import derives_labels
from evenhand.core.errors import DuplicateIdentifier, InvalidFile, InvalidSetting
from evenhand.core.errors.evaluation import ProvenanceFailed
from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.errors.retrieval import RetrieverNotFound
from evenhand.core.identity.labels import NOT_APPLICABLE
from evenhand.core.identity.provenance import RetrievalProvenance, take_provenance
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import QueryIdRetriever, ScoredRetriever
from tests.adapters.retrievers.support import a_context, write_corpus, write_module
from tests.builders import DeclaredRetriever, DictRetriever, a_provenance

LABELS = {"corpus": "corpus-1", "model": "model-1", "chunking": "chunks-1", "pipeline": "mine"}
STATED = Declaration(**LABELS, execution="rev-1")


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project root that is also the working directory; the import path is put back."""
    before = list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = before


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "evenhand.retrievers")


def write_search(root: Path, module: str, *answers: str) -> str:
    write_module(root, module, f"def find(question, limit):\n    return {list(answers)!r}\n")
    return f"{module}:find"


def test_names_are_tried_in_order(root: Path) -> None:
    configured = write_search(root, "order_configured", "configured")
    registered = write_search(root, "order_registered", "registered")
    sys.path.insert(0, str(root))
    context = a_context(root, corpus=write_corpus(root / "docs"))
    context = replace(context, registered=(entry("shop", registered),))
    assert list(resolve("shop", context).retrieve("q", 1)) == ["registered"]
    assert resolve("lexical", context).identifier == "lexical"

    configured_too = a_context(root, configured={"mine": {"use": configured}})
    assert list(resolve("mine", configured_too).retrieve("q", 1)) == ["configured"]


def test_module_reference_keeps_its_name_and_has_unknown_provenance(root: Path) -> None:
    reference = write_search(root, "module_plain", "a")
    retriever = resolve(reference, a_context(root))

    assert retriever.identifier == reference
    assert take_provenance(retriever) is None


def test_unknown_reference_lists_the_known_names(root: Path) -> None:
    context = a_context(root, configured={"mine": {"use": "bm25"}})

    with pytest.raises(RetrieverNotFound) as caught:
        resolve("nope", context)
    assert caught.value.known == ("mine", *(name for name in BUILT_IN if name != "fusion"))


def test_wrong_signature_is_refused_at_resolution(root: Path) -> None:
    write_module(root, "module_wrong", "def find(question):\n    return []\n")

    with pytest.raises(RetrieverNotFound, match="must take question and limit"):
        resolve("module_wrong:find", a_context(root))


@pytest.mark.proves("BP-06")
@pytest.mark.parametrize(
    ("configured", "registered"),
    [
        pytest.param({}, [("a", "one:find"), ("a", "two:find")], id="two entry points"),
        pytest.param({}, [("bm25", "one:find")], id="entry point and built-in"),
        pytest.param({"bm25": {"use": "one:find"}}, [], id="configuration and built-in"),
        pytest.param({"a": {"use": "bm25"}}, [("a", "one:find")], id="configuration and entry"),
    ],
)
def test_two_things_with_one_name_are_refused_at_construction(
    root: Path, configured: dict[str, dict[str, object]], registered: list[tuple[str, str]]
) -> None:
    context = replace(
        a_context(root, configured=configured), registered=tuple(entry(*one) for one in registered)
    )

    with pytest.raises(DuplicateIdentifier):
        RetrieverRegistry(context)


def test_configuration_may_be_named_after_what_it_uses(root: Path) -> None:
    corpus = write_corpus(root / "docs")
    tables = {"lexical": {"use": "lexical", "corpus": "docs"}}
    retriever = resolve("lexical", a_context(root, configured=tables))

    declared = take_provenance(retriever)
    assert declared is not None
    assert declared.corpus_revision == corpus_digest_of(corpus)


def test_configured_labels_become_the_declaration(root: Path) -> None:
    reference = write_search(root, "module_labels", "a")
    tables = {"mine": {"use": reference, **LABELS, "execution": "rev-1"}}
    retriever = resolve("mine", a_context(root, configured=tables, depth=20))

    assert retriever.identifier == "mine"
    assert take_provenance(retriever) == RetrievalProvenance(
        "corpus-1", "model-1", "chunks-1", "mine+d20", "rev-1"
    )


def test_flags_win_over_the_configuration(root: Path) -> None:
    reference = write_search(root, "module_flags", "a")
    tables = {"mine": {"use": reference, **LABELS}}
    context = a_context(root, configured=tables, declared=Declaration(pipeline="other"))

    declared = take_provenance(resolve("mine", context))
    assert declared is not None
    assert declared.pipeline_identity == "other+d12"
    assert declared.model_revision == "model-1"


def test_corpus_path_of_a_configuration_counts_from_the_project_root(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = write_corpus(root / "docs")
    reference = write_search(root, "module_path", "a")
    tables = {"mine": {"use": reference, **LABELS, "corpus": "docs"}}
    inner = root / "inner"
    write_corpus(inner / "docs", {"other": ("", "another")})
    monkeypatch.chdir(inner)

    declared = take_provenance(resolve("mine", a_context(root, configured=tables)))
    assert declared is not None
    assert declared.corpus_revision == corpus_digest_of(corpus)


def test_incomplete_declaration_is_unknown_and_said_so(root: Path) -> None:
    reference = write_search(root, "module_incomplete", "a")
    told: list[str] = []
    context = a_context(root, declared=Declaration(corpus="c", pipeline="p"), tell=told.append)

    assert take_provenance(resolve(reference, context)) is None
    assert told == [
        f"the declaration of {reference} lacks model, chunking: its provenance is unknown"
    ]


@pytest.mark.proves("P-03")
def test_pasted_lines_take_effect_on_the_reference_that_was_typed(root: Path) -> None:
    reference = write_search(root, "module_pasted", "a")
    pasted = tomllib.loads(paste_lines("mine", reference))["tool"]["evenhand"]["retrievers"]
    pasted["mine"] |= LABELS
    retriever = resolve(reference, a_context(root, configured=pasted))

    assert retriever.identifier == "mine"
    assert take_provenance(retriever) is not None


def test_reference_that_two_configurations_use_stays_itself(root: Path) -> None:
    reference = write_search(root, "module_twice", "a")
    tables = {"one": {"use": reference, **LABELS}, "two": {"use": reference, **LABELS}}
    retriever = resolve(reference, a_context(root, configured=tables))

    assert retriever.identifier == reference
    assert take_provenance(retriever) is None


OWN_MODULE = """
from evenhand.core.identity.provenance import RetrievalProvenance

class Own:
    identifier = "own"
    taken = 0
    asked = []

    def retrieve(self, question, limit):
        self.asked.append(question)
        return ["a"]

    def get_retrieval_provenance(self):
        type(self).taken += 1
        return RetrievalProvenance("corpus-1", "model-1", "chunks-1", "pipeline-1", "rev-1")
"""


@pytest.mark.proves("P-03", "P-06")
def test_own_declaration_is_never_altered_and_not_taken_at_resolution(root: Path) -> None:
    write_module(root, "module_own", OWN_MODULE)
    retriever = resolve("module_own:Own", a_context(root, depth=50))
    own: Any = sys.modules["module_own"].Own

    assert own.taken == 0
    assert take_provenance(retriever) == a_provenance(execution="rev-1")
    assert own.taken == 1


def test_own_declaration_under_a_configured_name_is_not_altered(root: Path) -> None:
    write_module(root, "module_own_named", OWN_MODULE)
    tables = {"mine": {"use": "module_own_named:Own"}}
    retriever = resolve("mine", a_context(root, configured=tables))

    assert retriever.identifier == "mine"
    assert take_provenance(retriever) == a_provenance(execution="rev-1")


def test_own_declaration_is_taken_once_where_labels_are_checked_against_it(root: Path) -> None:
    write_module(root, "module_own_once", OWN_MODULE)
    context = a_context(root, declared=Declaration(model="model-1"))
    retriever = resolve("module_own_once:Own", context)
    own: Any = sys.modules["module_own_once"].Own

    assert take_provenance(retriever) == a_provenance(execution="rev-1")
    assert own.taken == 1
    assert own.asked == []


def test_flag_that_contradicts_an_own_declaration_is_refused(root: Path) -> None:
    write_module(root, "module_own_other", OWN_MODULE)
    context = a_context(root, declared=Declaration(model="canary"))

    with pytest.raises(InvalidSetting, match="contradicts") as caught:
        resolve("module_own_other:Own", context)
    assert "canary" not in str(caught.value)


@pytest.mark.proves("G-02")
def test_broken_own_declaration_fails_before_any_question(root: Path) -> None:
    write_module(
        root,
        "module_own_broken",
        OWN_MODULE.replace("return RetrievalProvenance(", "return str("),
    )
    context = a_context(root, declared=Declaration(model="model-1"))

    with pytest.raises(ProvenanceFailed):
        resolve("module_own_broken:Own", context)
    with pytest.raises(ProvenanceFailed):
        take_provenance(resolve("module_own_broken:Own", a_context(root)))


@pytest.mark.proves("G-01")
def test_capability_is_found_by_its_shape_through_every_door(root: Path) -> None:
    given = DeclaredRetriever({}, a_provenance())

    assert take_provenance(adapt(given, a_context(root))) == a_provenance()
    assert take_provenance(adapt(DictRetriever({}), a_context(root))) is None


def test_function_of_a_program_is_named_by_module_and_attribute(root: Path) -> None:
    def find(question: str, limit: int) -> list[str]:
        return [question]

    retriever = adapt(find, a_context(root))

    assert retriever.identifier.startswith(f"{__name__}:")
    assert list(retriever.retrieve("q", 1)) == ["q"]


def find_something(question: str, limit: int) -> list[str]:
    return [question]


def test_function_of_a_program_gets_the_provenance_that_is_configured_for_it(root: Path) -> None:
    tables = {"mine": {"use": f"{__name__}:find_something", **LABELS, "execution": "rev-1"}}
    retriever = adapt(find_something, a_context(root, configured=tables))

    assert retriever.identifier == "mine"
    assert take_provenance(retriever) == RetrievalProvenance(
        "corpus-1", "model-1", "chunks-1", "mine+d12", "rev-1"
    )


def test_reference_and_path_are_resolved_when_handed_over(root: Path) -> None:
    write_run(root / "a.trec")

    assert adapt("a.trec", a_context(root)).identifier == "a"
    assert adapt(root / "a.trec", a_context(root)).identifier == "a"


def write_run(path: Path) -> Path:
    path.write_text("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n")
    return path


def test_run_file_is_imported_and_of_unknown_provenance_without_a_corpus(root: Path) -> None:
    run = write_run(root / "some.trec")
    retriever = resolve(str(run), a_context(root))

    assert isinstance(retriever, QueryIdRetriever)
    assert list(retriever.retrieve_for(b"q1", "", 12)) == [b"d1", b"d2"]
    assert basis_of(retriever) is Basis.IMPORTED
    assert take_provenance(retriever) is None


def test_run_file_with_a_corpus_is_declared_and_stays_imported(root: Path) -> None:
    run = write_run(root / "some.trec")
    retriever = resolve(str(run), a_context(root, declared=Declaration(corpus="corpus-1")))

    declared = take_provenance(retriever)
    assert declared is not None
    assert declared.corpus_revision == "corpus-1"
    assert declared.model_revision.startswith("imported:")
    assert isinstance(retriever, QueryIdRetriever)
    assert basis_of(retriever) is Basis.IMPORTED
    assert retriever.identifier == "some"


def test_configured_run_file_counts_from_the_project_root(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "runs").mkdir()
    write_run(root / "runs" / "old.trec")
    (root / "elsewhere").mkdir()
    monkeypatch.chdir(root / "elsewhere")
    tables = {"last-year": {"use": "runs/old.trec", "corpus": "corpus-1"}}
    retriever = resolve("last-year", a_context(root, configured=tables))

    assert retriever.identifier == "last-year"
    assert basis_of(retriever) is Basis.IMPORTED


def test_everything_else_is_local(root: Path) -> None:
    reference = write_search(root, "module_local", "a")

    assert basis_of(resolve(reference, a_context(root))) is Basis.LOCAL
    assert basis_of(resolve(reference, a_context(root, declared=STATED))) is Basis.LOCAL


def test_folder_is_no_run_file(root: Path) -> None:
    (root / "runs").mkdir()

    with pytest.raises(RetrieverNotFound):
        resolve("runs", a_context(root))


CHILD = (
    "import json, sys\nfor _ in sys.stdin:\n    print(json.dumps({'ids': ['a']}), flush=True)\n"
)


def test_command_is_resolved_named_without_its_arguments_and_closed(root: Path) -> None:
    (root / "child.py").write_text(CHILD)
    reference = f"cmd:{sys.executable} child.py --key canary"
    retriever: Any = resolve(reference, a_context(root, declared=STATED))

    assert retriever.identifier.startswith("cmd-python")
    assert "canary" not in retriever.identifier
    assert retriever.retrieve("q", 12) == ["a"]
    assert take_provenance(retriever) is not None
    retriever.close()


def test_configured_command_has_options_and_its_name(root: Path) -> None:
    (root / "child.py").write_text(CHILD)
    tables = {
        "mine": {
            "use": f"cmd:{sys.executable} child.py",
            "timeout_seconds": 5,
            "scores": True,
            **LABELS,
        }
    }
    retriever = resolve("mine", a_context(root, configured=tables))

    assert retriever.identifier == "mine"
    assert isinstance(retriever, ScoredRetriever)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"timeout": 5}, "retrievers.mine.timeout"),
        ({"timeout_seconds": "5"}, "retrievers.mine.timeout_seconds"),
        ({"timeout_seconds": 0}, "retrievers.mine.timeout_seconds"),
        ({"timeout_seconds": float("nan")}, "retrievers.mine.timeout_seconds"),
        ({"token_env": "X"}, "retrievers.mine.token_env"),
    ],
)
def test_wrong_option_of_a_command_is_refused(
    root: Path, options: dict[str, object], name: str
) -> None:
    tables = {"mine": {"use": f"cmd:{sys.executable}", **options}}

    with pytest.raises(InvalidSetting) as caught:
        resolve("mine", a_context(root, configured=tables))
    assert caught.value.name == name


@pytest.mark.proves("P-20")
def test_nothing_that_identifies_a_retriever_holds_an_address_a_secret_or_a_text(
    root: Path,
) -> None:
    (root / "child.py").write_text(CHILD)
    corpus = write_corpus(root / "docs", {"canary-id": ("canary title", "canary text")})
    for reference in (
        "https://canary.example.test/find?q=canary",
        f"cmd:{sys.executable} child.py --key canary",
        "bm25",
        "lexical",
    ):
        labels = None if reference in BUILT_IN else STATED
        retriever: Any = resolve(reference, a_context(root, corpus=corpus, declared=labels))
        declared = take_provenance(retriever)
        assert declared is not None
        assert "canary" not in " ".join(
            [retriever.identifier, *map(str, declared.to_dict().values())]
        )
        if hasattr(retriever, "close"):
            retriever.close()


def test_url_is_named_without_its_address(root: Path) -> None:
    retriever: Any = resolve("https://search.example.test/find", a_context(root))

    assert retriever.identifier.startswith("http-")
    assert "example" not in retriever.identifier
    retriever.close()


def test_token_comes_from_the_secret_that_is_handed_down(root: Path) -> None:
    tables = {"mine": {"use": "https://example.test/", "token_env": "SEARCH_TOKEN"}}
    asked: list[str] = []

    def secret(name: str) -> str | None:
        asked.append(name)
        return "s3cret"

    retriever: Any = resolve("mine", a_context(root, configured=tables, secret=secret))
    assert asked == ["SEARCH_TOKEN"]
    retriever.close()


def test_token_is_never_read_from_the_environment_directly(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "SEARCH_TOKEN", "s3cret")
    tables = {"mine": {"use": "https://example.test/", "token_env": "SEARCH_TOKEN"}}

    with pytest.raises(InvalidSetting, match="is not set"):
        resolve("mine", a_context(root, configured=tables))


@pytest.mark.parametrize("use", ["module_options:find", "a.trec"])
def test_what_is_loaded_as_it_is_takes_no_options(root: Path, use: str) -> None:
    write_search(root, "module_options", "a")
    write_run(root / "a.trec")
    tables = {"mine": {"use": use, "k1": 1.2}}

    with pytest.raises(InvalidSetting, match="k1"):
        resolve("mine", a_context(root, configured=tables))


@pytest.mark.parametrize(
    "table", [{}, {"use": ""}, {"use": 5}, {"use": "bm25", "model": 5}, {"use": "x", "corpus": ""}]
)
def test_malformed_table_is_refused(root: Path, table: dict[str, object]) -> None:
    with pytest.raises(InvalidSetting):
        a_context(root, configured={"mine": table})


def test_built_in_needs_a_corpus(root: Path) -> None:
    with pytest.raises(InvalidSetting) as caught:
        resolve("lexical", a_context(root))
    assert caught.value.name == "corpus"


@pytest.mark.proves("P-23")
def test_built_in_declares_the_digest_of_what_it_searches(root: Path) -> None:
    corpus = write_corpus(root / "docs")
    declared = take_provenance(resolve("lexical", a_context(root, corpus=corpus, depth=20)))

    assert declared is not None
    assert declared.corpus_revision == corpus_digest_of(corpus)
    assert declared.model_revision == NOT_APPLICABLE
    assert declared.pipeline_identity.endswith("+d20")


def test_corpus_flag_of_a_built_in_names_what_is_searched(root: Path) -> None:
    write_corpus(root / "docs")
    other = write_corpus(root / "other", {"only": ("", "one")})
    context = a_context(root, corpus=root / "docs", declared=Declaration(corpus="other"))

    declared = take_provenance(resolve("lexical", context))
    assert declared is not None
    assert declared.corpus_revision == corpus_digest_of(other)


def test_label_that_contradicts_a_built_in_is_refused(root: Path) -> None:
    corpus = write_corpus(root / "docs")
    for stated in (Declaration(corpus="label"), Declaration(model="model-1")):
        with pytest.raises(InvalidSetting, match="contradicts"):
            resolve("lexical", a_context(root, corpus=corpus, declared=stated))


def test_expected_digest_of_the_corpus_is_checked(root: Path) -> None:
    corpus = write_corpus(root / "docs")
    digest = corpus_digest_of(corpus)
    resolve("lexical", a_context(root, corpus=corpus, corpus_label=digest))

    with pytest.raises(InvalidCorpus):
        resolve("lexical", a_context(root, corpus=corpus, corpus_label="b" * 64))


def test_mistyped_corpus_of_a_built_in_is_refused(root: Path) -> None:
    tables = {"mine": {"use": "lexical", "corpus": "./doks"}}

    with pytest.raises((InvalidFile, InvalidSetting)):
        resolve("mine", a_context(root, configured=tables))


FUSION = {"use": "fusion", "retrievers": ["words", "mine"]}


def test_fusion_is_over_configured_names(root: Path) -> None:
    write_corpus(root / "docs")
    reference = write_search(root, "module_fused", "cherry", "apple")
    tables = {
        "words": {"use": "lexical", "corpus": "docs"},
        "mine": {"use": reference},
        "both": FUSION,
    }
    retriever = resolve("both", a_context(root, configured=tables))

    assert retriever.identifier == "both"
    assert list(retriever.retrieve("yellow", 12)) == ["banana", "cherry", "apple"]
    assert take_provenance(retriever) is None


def test_fusion_of_a_run_file_is_imported_and_asks_by_query_id(root: Path) -> None:
    write_corpus(root / "docs")
    (root / "old.trec").write_text("q1 Q0 cherry 1 2.0 t\n")
    tables = {
        "words": {"use": "lexical", "corpus": "docs"},
        "mine": {"use": "old.trec"},
        "both": FUSION,
    }
    retriever = resolve("both", a_context(root, configured=tables))

    assert isinstance(retriever, QueryIdRetriever)
    assert list(retriever.retrieve_for(b"q1", "yellow", 12)) == ["banana", "cherry"]
    assert basis_of(retriever) is Basis.IMPORTED


@pytest.mark.parametrize(
    "tables",
    [
        {"both": {"use": "fusion", "retrievers": ["both", "lexical"]}},
        {
            "both": {"use": "fusion", "retrievers": ["other", "lexical"]},
            "other": {"use": "fusion", "retrievers": ["both", "lexical"]},
        },
    ],
)
def test_fusion_that_leads_back_to_itself_is_refused(
    root: Path, tables: dict[str, dict[str, object]]
) -> None:
    corpus = write_corpus(root / "docs")

    with pytest.raises(InvalidSetting, match="leads back to itself"):
        resolve("both", a_context(root, configured=tables, corpus=corpus))


def test_labels_are_derived_only_where_every_part_is_evenhands_own(root: Path) -> None:
    write_corpus(root / "docs")
    write_corpus(root / "other", {"one": ("", "yellow")})
    use = write_search(root, "module_derived", "cherry")
    tables: dict[str, dict[str, object]] = {
        "words": {"use": "lexical", "corpus": "docs"},
        "rank": {"use": "bm25", "corpus": "docs"},
        "elsewhere": {"use": "lexical", "corpus": "other"},
        "mine": {"use": use, **LABELS, "corpus": "docs"},
        "own": {"use": "fusion", "retrievers": ["words", "rank"]},
        "mixed": {"use": "fusion", "retrievers": ["words", "mine"]},
        "apart": {"use": "fusion", "retrievers": ["words", "elsewhere"], **LABELS},
    }
    context = a_context(root, configured=tables)
    opened = {name: resolve(name, context) for name in tables}

    assert [name for name, one in opened.items() if derives_labels(one)] == [
        "words",
        "rank",
        "elsewhere",
        "own",
    ]
    # Where the parts give no declaration, the one that is stated is somebody's word.
    assert take_provenance(opened["apart"]) is not None
    for one in opened.values():
        if callable(close := getattr(one, "close", None)):
            close()


def test_flags_do_not_reach_the_components_of_a_fusion(root: Path) -> None:
    corpus = write_corpus(root / "docs")
    tables = {
        "both": {"use": "fusion", "retrievers": ["lexical", "words"]},
        "words": {"use": "lexical"},
    }
    context = a_context(
        root, configured=tables, corpus=corpus, declared=Declaration(model=NOT_APPLICABLE)
    )

    assert take_provenance(resolve("both", context)) is not None


def test_resolving_a_plain_function_loads_no_heavy_library(root: Path) -> None:
    write_search(root, "module_light", "a")
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from evenhand.adapters.retrievers.context import RetrieverContext\n"
        "from evenhand.adapters.retrievers.registry import resolve\n"
        "resolve('module_light:find', RetrieverContext(project_root=Path('.'), registered=()))\n"
        "heavy = {'numpy', 'bm25s', 'httpx2', 'onnxruntime', 'wordllama', 'sqlalchemy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root)
