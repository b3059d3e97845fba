"""Write constraints.txt anew: exact versions of everything that any extra can pull in.

Resolves with the oldest supported Python, because what that one can install the newer ones
can too, and then asks for each newer version whether every pin has a wheel. A direct
dependency without one needs a marker in pyproject.toml, any other a line by hand; nothing is
written until that is so.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
OLDEST, *NEWER = SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
HEADER = f"""\
# Written by `make lock`: exact versions for Python {OLDEST} to {NEWER[-1]} on Linux x86_64.
# No addresses and no hashes, so that any mirror can serve them.
"""


def main(models: list[str]) -> int:
    """Resolve, check the newer versions, write the file.

    Args:
        models: pinned packages that are installed without their own requirements.
    """
    if sys.version_info[:2] != tuple(map(int, OLDEST.split("."))):
        sys.stderr.write(f"make lock needs Python {OLDEST}\n")
        return 2
    asked = requirements()
    pins = resolve(asked)
    missing = [line for version in NEWER for line in without_wheel(pins, asked, version)]
    if missing:
        sys.stderr.write("\n".join([*missing, "nothing written"]) + "\n")
        return 1
    lines = sorted([*(f"{name}=={version}" for name, version in pins.items()), *models])
    text = HEADER + "".join(f"{line}\n" for line in lines)
    (ROOT / "constraints.txt").write_text(text, encoding="utf-8")
    print(f"{len(lines)} packages pinned")
    return 0


def requirements() -> list[Requirement]:
    """What pyproject.toml asks for: the base, every extra, and the build backend."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    texts = [*project["dependencies"], *declared["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        texts += extra
    found = map(Requirement, texts)
    return [requirement for requirement in found if requirement.name != project["name"]]


def resolve(asked: list[Requirement]) -> dict[str, str]:
    """Versions by name, as pip chooses them for the running Python."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        _pip("--report", str(report), *map(str, asked), check=True)
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {
        canonicalize_name(item["metadata"]["name"]): item["metadata"]["version"]
        for item in installed
    }


def without_wheel(pins: dict[str, str], asked: list[Requirement], version: str) -> list[str]:
    """A line for each pin that has no wheel for that version of Python."""
    excluded = {
        canonicalize_name(requirement.name)
        for requirement in asked
        if requirement.marker and not requirement.marker.evaluate({"python_version": version})
    }
    lines = [f"{name}=={pin}" for name, pin in pins.items() if name not in excluded]

    def installable(*names: str) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            options = ("--no-deps", "--python-version", version, "--target", folder)
            return _pip(*options, *names, check=False)

    if installable(*lines):
        return []
    return [f"no wheel for Python {version}: {line}" for line in lines if not installable(line)]


def _pip(*arguments: str, check: bool) -> bool:
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--ignore-installed",
    ]
    done = subprocess.run(
        [*command, "--only-binary=:all:", *arguments], check=check, capture_output=not check
    )
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
