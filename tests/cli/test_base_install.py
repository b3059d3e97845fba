"""The base commands work where no optional part is installed.

Installing into an empty environment needs a network; here a process of its own refuses the
imports instead, as they would be refused where the parts are missing.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: What the optional parts bring, and whatever else is in an extra.
OPTIONAL = (
    "bm25s",
    "editables",
    "fastapi",
    "hypothesis",
    "httptools",
    "numba",
    "onnx",
    "onnxruntime",
    "pandas",
    "prometheus_client",
    "psycopg",
    "pyarrow",
    "pytest",
    "safetensors",
    "scipy",
    "schemathesis",
    "starlette",
    "structlog",
    "tokenizers",
    "uvicorn",
    "uvloop",
    "wordllama",
)
PROGRAM = f"""
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper

class Present:
    # Finds what its finder finds, but for the optional parts.
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            return None
        return self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Present, sys.meta_path)
from evenhand.cli.main import run_command

def run(arguments):
    out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command(arguments)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return code, *texts

print(json.dumps([run(step) for step in json.loads(sys.argv[1])]))
"""
VECTORS = Path(__file__).parent.parent / "vectors"


def run_all(*steps: str) -> list[tuple[int, str, str]]:
    """Commands one after the other in one process: exit code, standard output and error."""
    typed = json.dumps([step.split() for step in steps])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, typed], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


def test_the_base_commands_need_no_optional_part(folder: Path) -> None:
    run = "run example/questions.jsonl example"
    steps = [
        "init",
        run,
        f"{run} --fail-on-regression --report page.html",
        "run example/questions.jsonl lexical --corpus example/corpus.jsonl",
        "evaluations list",
        "evaluations show latest --set example/questions.jsonl",
        "evaluations export latest export.json",
        "evaluations purge --yes",
        "sets import example/questions.jsonl",
        "sets list",
        "sets show example",
        "sets lint example --corpus example/corpus.jsonl",
        "sets export example copy.yaml",
        "run copy.yaml example --privacy metadata",
        "corpus manifest example/corpus.jsonl",
        "corpus diff example/corpus.jsonl example/corpus.jsonl",
        f"vectors check {VECTORS}",
        "db upgrade",
        "db check",
    ]

    done = dict(zip(steps, run_all(*steps), strict=True))

    assert {step: err for step, (code, _, err) in done.items() if code != 0} == {}
    assert {path.name for path in folder.iterdir()} >= {"page.html", "export.json", "copy.yaml"}


@pytest.mark.usefixtures("folder")
def test_what_needs_an_optional_part_names_it() -> None:
    corpus = "--corpus example/corpus.jsonl"
    steps = {
        f"run example/questions.jsonl bm25 {corpus}": "bm25",
        f"run example/questions.jsonl dense {corpus}": "demo",
        "--database-url postgresql://nowhere/none evaluations list": "postgres",
        "demo": "demo",
        "serve": "hub",
        "ui": "hub",
    }

    made, *refused = run_all("init", *steps)

    assert made[0] == 0
    for extra, (code, out, err) in zip(steps.values(), refused, strict=True):
        assert (code, out) == (5, "")
        assert f"evenhand[{extra}]" in err
