"""What is built, what an import costs, and what the repository must not hold."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require_or_skip

ROOT = Path(__file__).parent.parent
OF_THE_HUB = ("fastapi", "starlette", "uvicorn", "pydantic", "structlog", "prometheus_client")
HEAVY = ("numpy", "sqlalchemy", "fastapi", "starlette", "uvicorn", "pydantic", "httpx2")


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names inside a wheel built from this checkout."""
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    [built] = target.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        return archive.namelist()


def test_wheel_says_that_the_package_is_typed(wheel_names: list[str]) -> None:
    assert "evenhand/py.typed" in wheel_names


def test_wheel_holds_the_package_and_its_metadata_only(wheel_names: list[str]) -> None:
    assert {name.split("/")[0] for name in wheel_names} == {
        "evenhand",
        "evenhand-0.1.0.dist-info",
    }
    assert not [name for name in wheel_names if "test" in Path(name).stem.split("_")]


def test_wheel_holds_every_tracked_file_of_the_package(wheel_names: list[str]) -> None:
    tracked = {path.removeprefix("src/") for path in _tracked() if path.startswith("src/")}
    assert tracked - set(wheel_names) == set()


def test_wheel_carries_the_licence(wheel_names: list[str]) -> None:
    assert "evenhand-0.1.0.dist-info/licenses/LICENSE" in wheel_names


def test_import_loads_nothing_heavy() -> None:
    code = "import evenhand, sys; print(*sys.modules)"
    loaded = _python("-c", code).split()
    assert [name for name in HEAVY if name in loaded] == []
    # Nothing of the package but itself: the public names load on first use.
    assert [name for name in loaded if name.startswith("evenhand")] == ["evenhand"]


def test_the_base_commands_load_nothing_of_the_hub(tmp_path: Path) -> None:
    code = (
        "from evenhand.cli.main import run_command; import sys;"
        "done = [run_command(line.split()) for line in sys.argv[1:]]; print(*map(int, done), *sys.modules)"
    )
    steps = ("init", "run example/questions.jsonl example", "evaluations list", "db check")
    done = subprocess.run(
        [sys.executable, "-c", code, *steps, "serve --help", "admin token list"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    loaded = done.stdout.splitlines()[-1]

    assert loaded.startswith("0 0 0 0 0 0 ")
    assert [name for name in OF_THE_HUB if name in loaded.split()] == []


def test_version_is_that_of_the_metadata() -> None:
    code = "import evenhand, importlib.metadata as m; print(evenhand.__version__, m.version('evenhand'))"
    stated, installed = _python("-c", code).split()
    assert stated == installed


def test_no_file_names_this_machine_or_a_registry() -> None:
    found = {
        f"{path}:{number}"
        for path in _tracked()
        for number, line in _lines(path)
        if any(word in line for word in _forbidden_words())
    }
    assert found == set()


def _forbidden_words() -> list[str]:
    """Put together here, so that this file does not hold them."""
    folders = [("work", "main"), ("work", "shared"), ("root", ".pyenv"), ("opt", "wheels")]
    hosts = [("python" + "hosted", "org"), ("pypi", "org"), ("registry.npmjs", "org")]
    hosts += [("deb.debian", "org"), ("crates", "io/api"), ("proxy.golang", "org")]
    return [
        *("/" + "/".join(parts) for parts in folders),
        *(".".join(parts) for parts in hosts),
    ]


def _tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    require_or_skip(done.returncode == 0, "a git checkout (this is an unpacked archive)")
    names = done.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def _lines(path: str) -> Iterator[tuple[int, str]]:
    text = (ROOT / path).read_bytes().decode("utf-8", errors="replace")
    return enumerate(text.splitlines(), start=1)


def _python(*arguments: str) -> str:
    # Without -W error: what an import warns about is a matter of the tests that use it.
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout
