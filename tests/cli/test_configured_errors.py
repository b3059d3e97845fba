"""An error in the table of a retriever names file, table and key; a fusion shows its lines."""

from pathlib import Path

import pytest

from tests.adapters.formats.beir_folder import document, query, write_beir
from tests.cli.typed import Cli, write_search, write_set

CANARY = "configured-canary-4e"
DECLARED = 'model = "m"\nchunking = "n"\npipeline = "p"\n'
#: table → key that is wrong, what is said of it.
TABLES: dict[str, tuple[str, str, str]] = {
    "no-use": ('model = "m"\n', "use", "is missing"),
    "use-number": ("use = 3\n", "use", "must be text"),
    "unknown-use": ('use = "nope"\n', "use", "no retriever 'nope'"),
    "no-module": ('use = "nowhere:find"\n', "use", "importing it raised"),
    "no-run-file": (f'use = "set.jsonl"\ncorpus = "c"\n{DECLARED}', "use", "line 1"),
    "open-quotation": ('use = "cmd:sh \'"\n', "use", "quotation"),
    "address": (f'use = "http://me:{CANARY}@host/"\n', "use", "no credentials"),
    "label-number": ('use = "search:find"\nmodel = 3\n', "model", "must be text"),
    "label": (
        f'use = "search:find"\ncorpus = "c"\n{DECLARED}execution = "{CANARY} x"\n',
        "execution",
        "execution_revision",
    ),
    "label-of-corpus": (
        f'use = "search:find"\ncorpus = "{CANARY} x"\n{DECLARED}',
        "corpus",
        "corpus_revision",
    ),
    "no-such-corpus": (
        f'use = "search:find"\ncorpus = "docs/typo.jsonl"\n{DECLARED}',
        "corpus",
        "does not exist",
    ),
    "long-pipeline": (
        f'use = "search:find"\ncorpus = "c"\n{DECLARED}'.replace('"p"', f'"{"p" * 190}"'),
        "pipeline",
        "with +d12 appended",
    ),
    "needless-option": ('use = "search:find"\nk1 = 1\n', "k1", "is not an option"),
    "unknown-option": ('use = "bm25"\nk2 = 1\n', "k2", "the options are method, k1, b"),
    "option-type": (f'use = "bm25"\nk1 = "{CANARY}"\n', "k1", "Expected `float`, got `str`"),
    "option-choice": (f'use = "bm25"\nmethod = "{CANARY}"\n', "method", "must be one of lucene"),
    "option-range": ('use = "bm25"\nb = 2.0\n', "b", "from 0 to 1"),
    "stop-words": (f'use = "bm25"\nstopwords = "{CANARY}"\n', "stopwords", ""),
    "embedder": (f'use = "dense"\nembedder = "{CANARY}"\n', "embedder", "must be"),
    "time": ('use = "cmd:sh"\ntimeout_seconds = 0\n', "timeout_seconds", "above 0"),
    "variable": (
        'use = "http://host.test/"\ntoken_env = "NOT_SET_HERE"\n',
        "token_env",
        "not set",
    ),
    "fusion-of-nothing": ('use = "fusion"\n', "retrievers", "is missing"),
    "fusion-of-one": ('use = "fusion"\nretrievers = ["bm25"]\n', "retrievers", "two or more"),
    "fusion-type": (
        'use = "fusion"\nretrievers = ["bm25", 3]\n',
        "retrievers",
        "Expected `str`, got `int`",
    ),
    "fusion-weights": (
        'use = "fusion"\nretrievers = ["bm25", "lexical"]\nweights = [1.0]\n',
        "weights",
        "as many",
    ),
    "fusion-k": ('use = "fusion"\nretrievers = ["bm25", "lexical"]\nk = -1\n', "k", "at least 0"),
}


def write_documents() -> None:
    write_beir(
        Path("docs"), queries=[query("q1")], qrels=[("q1", "d1", 1)], corpus=[document("d1")]
    )


@pytest.mark.parametrize("file", ["evenhand.toml", "pyproject.toml"])
@pytest.mark.parametrize(("table", "key", "rule"), TABLES.values(), ids=TABLES)
def test_an_error_in_a_table_names_file_table_and_key(
    cli: Cli, table: str, key: str, rule: str, file: str
) -> None:
    above = "retrievers" if file == "evenhand.toml" else "tool.evenhand.retrievers"
    Path("evenhand.toml").unlink()
    Path(file).write_text(f"[{above}.mine]\n{table}", encoding="utf-8")
    write_search()
    write_set()
    write_documents()

    assert cli.run("run", "docs" if "search" not in table else "set.jsonl", "mine") == 2
    assert f"({file} [{above}.mine] {key}) [" in cli.err
    assert rule in cli.err
    assert CANARY not in cli.err
    assert cli.stored() == []


def test_a_table_with_the_name_of_a_built_in_is_named(cli: Cli) -> None:
    Path("evenhand.toml").write_text('[retrievers.bm25]\nuse = "search:find"\n', encoding="utf-8")

    assert cli.run("run", write_set(), "lexical") == 5
    assert "'bm25' (evenhand.toml [retrievers.bm25] use) [duplicate_identifier]" in cli.err


def test_a_name_that_toml_quotes_is_quoted(cli: Cli) -> None:
    Path("evenhand.toml").write_text('[retrievers."a b"]\nmodel = "m"\n', encoding="utf-8")

    assert cli.run("run", write_set(), "a b") == 2
    assert '(evenhand.toml [retrievers."a b"] use)' in cli.err


def test_a_component_s_own_table_is_the_one_that_is_named(cli: Cli) -> None:
    Path("evenhand.toml").write_text(
        '[retrievers.part]\nuse = "nope"\n'
        '[retrievers.both]\nuse = "fusion"\nretrievers = ["part", "lexical"]\n',
        encoding="utf-8",
    )
    write_documents()

    assert cli.run("run", "docs", "both") == 2
    assert "(evenhand.toml [retrievers.part] use)" in cli.err
    assert "retrievers.both" not in cli.err


def test_a_label_given_by_a_flag_is_not_blamed_on_the_table(cli: Cli) -> None:
    Path("evenhand.toml").write_text(
        f'[retrievers.mine]\nuse = "search:find"\ncorpus = "c"\n{DECLARED}', encoding="utf-8"
    )
    write_search()

    assert cli.run("run", write_set(), "mine", "--model", "no label") == 2
    assert "model_revision: " in cli.err
    assert "evenhand.toml" not in cli.err


@pytest.mark.parametrize("file", ["evenhand.toml", "pyproject.toml"])
def test_a_fusion_that_is_not_configured_shows_lines_that_work_when_pasted(
    cli: Cli, file: str
) -> None:
    Path("evenhand.toml").unlink()
    Path(file).touch()
    if file == "pyproject.toml":
        Path(file).write_text("[tool.evenhand]\ndepth = 12\n", encoding="utf-8")
    write_documents()

    assert cli.run("run", "docs", "fusion") == 2
    said, _, lines = cli.err.partition("\n")
    assert said.startswith("error: fusion: is configured, not named")
    assert lines.startswith(f"# in {file}\n")
    with Path(file).open("a", encoding="utf-8") as stream:
        stream.write(lines)
    assert cli.run("run", "docs", "both") == 0, cli.err


def test_fusion_is_not_among_the_names_that_are_offered(cli: Cli) -> None:
    assert cli.run("run", write_set(), "nope") == 2
    assert "(known: lexical, bm25, dense)" in cli.err
