import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats.corpus_manifest import corpus_digest_of, write_manifest
from evenhand.adapters.retrievers.context import Declaration, read_configs
from evenhand.adapters.retrievers.labels import (
    corpus_label_of,
    derived_pipeline,
    find_path,
    missing_lines,
    paste_lines,
    with_depth,
)
from evenhand.adapters.retrievers.wrapped import stated_provenance
from evenhand.core.errors import InvalidFile, InvalidSetting
from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity.labels import require_label
from tests.adapters.retrievers.support import FRUIT, write_corpus


@pytest.mark.parametrize(
    ("pipeline", "depth", "threshold", "expected"),
    [
        ("mine", 12, None, "mine+d12"),
        ("mine", 3, None, "mine+d3"),
        ("mine+d12", 12, None, "mine+d12+d12"),
        ("mine", 12, 0.35, "mine+d12+t0.35"),
        ("mine", 12, -0.1, "mine+d12+t-0.1"),
        ("mine", 12, 0.0, "mine+d12+t0.0"),
        ("mine", 12, 1e-07, "mine+d12+t1e-07"),
    ],
)
def test_depth_and_threshold_are_appended_and_the_label_stays_legal(
    pipeline: str, depth: int, threshold: float | None, expected: str
) -> None:
    label = with_depth(pipeline, depth, threshold)

    assert label == expected
    assert require_label(label, "pipeline") == label


def test_label_that_becomes_too_long_is_refused_and_not_cut() -> None:
    assert len(with_depth("p" * 186, 12)) == 190
    with pytest.raises(InvalidSetting) as caught:
        with_depth("p" * 187, 12)
    assert caught.value.rule == "with +d12 appended must be at most 190 bytes long"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory without anything that a label could name."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")


@given(
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=5),
    st.integers(1, 10_000),
    st.none() | st.floats(-1, 1),
)
def test_derived_label_is_legal_and_changes_with_each_part(
    settings: dict[str, object], depth: int, threshold: float | None
) -> None:
    label = derived_pipeline("bm25", settings, depth=depth, threshold=threshold)

    assert require_label(label, "pipeline") == label
    assert label != derived_pipeline(
        "bm25", {**settings, "one more": 1}, depth=depth, threshold=threshold
    )
    assert label != derived_pipeline("bm25", settings, depth=depth + 1, threshold=threshold)
    assert label != derived_pipeline("bm25", settings, depth=depth, threshold=2.0)


def test_order_of_the_settings_does_not_matter() -> None:
    assert derived_pipeline("x", {"a": 1, "b": 2}, depth=1) == derived_pipeline(
        "x", {"b": 2, "a": 1}, depth=1
    )


@pytest.mark.proves("P-19")
def test_corpus_by_path_is_its_digest(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "docs")

    assert corpus_label_of(str(folder), tmp_path) == corpus_digest_of(folder)
    assert corpus_label_of(str(folder / "corpus.jsonl"), tmp_path) == corpus_digest_of(folder)


def test_manifest_by_path_is_the_digest_of_its_corpus(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "docs")
    write_manifest(folder, tmp_path / "manifest")

    assert corpus_label_of("manifest", tmp_path) == corpus_digest_of(folder)


def test_relative_path_counts_from_the_working_directory_then_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    write_corpus(tmp_path / "root" / "docs")
    monkeypatch.chdir(tmp_path / "here")
    at_root = corpus_label_of("docs", tmp_path / "root")
    assert at_root == corpus_digest_of(tmp_path / "root" / "docs")

    write_corpus(tmp_path / "here" / "docs", {"one": ("", "only")})
    assert corpus_label_of("docs", tmp_path / "root") != at_root


@pytest.mark.proves("P-19")
@pytest.mark.parametrize("label", ["corpus-2026.09", "org/corpus:v1", "a" * 64, "x" * 5000])
def test_anything_else_is_a_label(tmp_path: Path, label: str) -> None:
    assert corpus_label_of(label, tmp_path) == label


@pytest.mark.parametrize(
    "path", ["./docs", "../docs", "/docs", "~/docs", "docs/", "docs/corpus.jsonl", "corpus.gz"]
)
def test_mistyped_path_does_not_pass_as_a_label(tmp_path: Path, path: str) -> None:
    with pytest.raises(InvalidFile, match="does not exist"):
        corpus_label_of(path, tmp_path)


EDITED = {**FRUIT, "apple": ("Apple", "A round fruit of a tree, red or green.")}
RETITLED = {**FRUIT, "apple": ("The apple", FRUIT["apple"][1])}
FEWER = {name: text for name, text in FRUIT.items() if name != "date"}


@pytest.mark.parametrize("other", [EDITED, RETITLED, FEWER], ids=["text", "title", "membership"])
def test_label_of_a_corpus_changes_with_content_and_membership(
    tmp_path: Path, other: dict[str, tuple[str, str]]
) -> None:
    before = corpus_label_of(str(write_corpus(tmp_path / "before")), tmp_path)
    after = corpus_label_of(str(write_corpus(tmp_path / "after", other)), tmp_path)

    assert before != after


def test_label_of_a_corpus_changes_with_the_access_scope(tmp_path: Path) -> None:
    one = write_corpus(tmp_path / "one", FRUIT, apple="staff", banana="everyone")
    other = write_corpus(tmp_path / "other", FRUIT, apple="everyone", banana="everyone")

    assert corpus_label_of(str(one), tmp_path, "group") != corpus_label_of(
        str(other), tmp_path, "group"
    )
    assert corpus_label_of(str(one), tmp_path) == corpus_label_of(str(other), tmp_path)


NAMES = st.text(min_size=1).filter(lambda name: not any("\ud800" <= c <= "\udfff" for c in name))


@given(NAMES, NAMES)
def test_lines_to_paste_are_toml_with_that_name_and_reference(name: str, reference: str) -> None:
    table = tomllib.loads(paste_lines(name, reference))["tool"]["evenhand"]["retrievers"]

    assert list(table) == [name]
    assert table[name]["use"] == reference
    assert read_configs(table)[name].use == reference


def test_lines_pasted_and_forgotten_are_refused(tmp_path: Path) -> None:
    table = tomllib.loads(paste_lines("mine", "search:find"))["tool"]["evenhand"]["retrievers"]

    with pytest.raises(InvalidLabel):
        stated_provenance(read_configs(table)["mine"].declaration, root=tmp_path, depth=12)


def test_lines_to_paste_are_of_the_table_that_the_file_has_and_keep_what_is_stated() -> None:
    lines = paste_lines("mine", "search:find", table="retrievers", stated={"model": "m-1"})
    table = tomllib.loads(lines)["retrievers"]["mine"]

    assert table["model"] == "m-1"
    assert sorted(table) == ["chunking", "corpus", "model", "pipeline", "use"]


def test_lines_that_are_missing_are_those_of_labels_not_stated() -> None:
    stated = {"corpus": "c", "model": None, "chunking": "n", "pipeline": None}

    assert list(tomllib.loads(missing_lines(stated))) == ["model", "pipeline"]
    assert missing_lines(dict.fromkeys(stated, "x")) == ""


def test_no_text_at_all_is_no_path(tmp_path: Path) -> None:
    assert find_path("", tmp_path) is None
    assert find_path(".", tmp_path) is not None


@pytest.mark.parametrize("label", ["corpus", "model", "chunking", "pipeline"])
def test_each_line_left_as_it_is_is_refused(tmp_path: Path, label: str) -> None:
    table = tomllib.loads(paste_lines("mine", "search:find"))["tool"]["evenhand"]["retrievers"]
    filled = dict.fromkeys(("corpus", "model", "chunking", "pipeline"), "filled-in")
    stated = Declaration(**{**filled, label: table["mine"][label]})

    with pytest.raises(InvalidLabel):
        stated_provenance(stated, root=tmp_path, depth=12)
