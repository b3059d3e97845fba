"""``evenhand init``: what it writes runs at once."""

import re
from pathlib import Path

import pytest

from evenhand.settings import Settings, load_settings
from tests.cli.typed import Cli

WRITTEN = [
    "evenhand.toml",
    "example/corpus.jsonl",
    "example/questions.jsonl",
    "example_retriever.py",
]


@pytest.fixture
def empty(folder: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands typed in a folder without anything."""
    assert list(folder.iterdir()) == []
    return Cli(capsys)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".evenhand" not in path.parts
    }


def test_it_writes_a_configuration_questions_and_a_retriever(empty: Cli, folder: Path) -> None:
    assert empty.run("init") == 0
    assert sorted(files(folder)) == WRITTEN
    assert sorted(empty.out.splitlines()) == [f"wrote {name}" for name in WRITTEN]
    assert "evenhand run example/questions.jsonl example" in empty.err
    # Nothing else is made before it is needed.
    assert not (folder / ".evenhand").exists()


def test_its_example_runs_at_once_and_is_comparable_the_second_time(empty: Cli) -> None:
    assert empty.run("init", "-q") == 0
    assert empty.err == ""
    run = ("run", "example/questions.jsonl", "example")

    first, second = empty.json(*run), empty.json(*run, "--fail-on-regression")

    assert [one["verdict"]["state"] for one in (first, second)] == ["baseline", "comparable"]
    assert first["counts"]["attempted"] == 10
    assert first["counts"]["no_answer"] == 2
    # Right and wrong answers both occur, so that there is something to look at.
    assert 0 < first["counts"]["answerable_top1_hits"] < first["counts"]["answerable"]
    assert empty.run("run", "example/questions.jsonl", "example_retriever:retrieve") == 0
    assert "Comparable" in empty.out


def test_every_command_that_it_shows_works(empty: Cli) -> None:
    assert empty.run("init") == 0
    shown = re.findall(r"^  evenhand (.*?)(?:   .*)?$", empty.err, re.MULTILINE)

    assert len(shown) == 3
    assert [empty.run(*command.split()) for command in shown] == [0, 0, 0]


def test_a_changed_document_makes_the_second_run_a_mismatch(empty: Cli) -> None:
    assert empty.run("init") == 0
    run = ("run", "example/questions.jsonl", "example", "--fail-on-regression")
    assert empty.run(*run) == 0
    corpus = Path("example/corpus.jsonl")
    corpus.write_text(corpus.read_text("utf-8").replace("Coffee", "Tea"), encoding="utf-8")

    assert empty.run(*run) == 3
    assert "Mismatch" in empty.out


def test_it_goes_into_a_folder_that_it_makes(empty: Cli, folder: Path) -> None:
    assert empty.json("init", "new/place") == {
        "written": [
            "new/place/evenhand.toml",
            "new/place/example_retriever.py",
            "new/place/example/corpus.jsonl",
            "new/place/example/questions.jsonl",
        ]
    }
    assert sorted(files(folder / "new" / "place")) == WRITTEN
    assert "Next, in new/place:" in empty.err


@pytest.mark.parametrize("present", WRITTEN)
def test_it_overwrites_nothing_and_then_changes_nothing(
    empty: Cli, folder: Path, present: str
) -> None:
    Path(present).parent.mkdir(exist_ok=True)
    Path(present).write_text("mine", encoding="utf-8")

    assert empty.run("init") == 2
    assert present in empty.err
    assert "nothing was written" in empty.err
    assert files(folder) == {present: b"mine"}


def test_a_second_time_it_refuses_and_leaves_everything(empty: Cli, folder: Path) -> None:
    assert empty.run("init") == 0
    before = files(folder)

    assert empty.run("init", "--json") == 2
    assert empty.out == ""
    assert files(folder) == before


def test_a_link_that_leads_nowhere_is_not_followed(empty: Cli, folder: Path) -> None:
    Path("evenhand.toml").symlink_to("elsewhere.toml")

    assert empty.run("init") == 2
    assert files(folder) == {}


def test_what_cannot_be_written_as_a_whole_is_not_written_at_all(empty: Cli, folder: Path) -> None:
    Path("example").write_text("a file where a folder has to be", encoding="utf-8")

    assert empty.run("init") == 2
    assert "cannot be written" in empty.err
    assert sorted(files(folder)) == ["example"]


def test_a_folder_that_is_configured_elsewhere_is_left_alone(empty: Cli, folder: Path) -> None:
    Path("pyproject.toml").write_text("[tool.evenhand]\nprivacy = 'none'\n", encoding="utf-8")

    assert empty.run("init") == 2
    assert "[tool.evenhand]" in empty.err
    assert sorted(files(folder)) == ["pyproject.toml"]


@pytest.mark.parametrize("content", ["[project]\nname = 'x'\n", "tool = 7\n", "no toml ["])
def test_another_tools_file_is_no_hindrance(empty: Cli, content: str) -> None:
    Path("pyproject.toml").write_text(content, encoding="utf-8")

    assert empty.run("init") == 0
    assert Path("pyproject.toml").read_text("utf-8") == content


def test_a_name_that_is_no_text_is_spelt_out(empty: Cli) -> None:
    assert empty.json("init", "a\udcff") == {
        "written": [f"a\\udcff/{name}" for name in (WRITTEN[0], WRITTEN[3], *WRITTEN[1:3])]
    }
    assert empty.run("init", "b\udcff") == 0
    assert "wrote b<0xFF>/evenhand.toml" in empty.out


def test_every_commented_setting_is_one_and_shows_its_default(empty: Cli, folder: Path) -> None:
    assert empty.run("init") == 0
    plain = load_settings(start=folder, environment={})
    lines = Path("evenhand.toml").read_text("utf-8").splitlines()
    settings = [line[2:] for line in lines if re.match(r"# [a-z_]+ = ", line)]
    names = [line.split(" = ")[0] for line in settings]
    assert names == ["privacy", "depth", "jobs", "max_failed_share", "retention_days"]

    Path("evenhand.toml").write_text("\n".join([*settings, *lines]), encoding="utf-8")

    stated = load_settings(start=folder, environment={})
    assert [stated.sources[name] for name in names] == ["evenhand.toml"] * len(names)
    assert [_value(stated, name) for name in names] == [_value(plain, name) for name in names]


def _value(settings: Settings, name: str) -> object:
    return getattr(settings, name)
