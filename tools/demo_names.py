"""Record which documents the demo finds in the Python that runs this script.

    python3.12 tools/demo_names.py     # any interpreter; it needs nothing installed

One line a document: its name, then the minor versions that have it, or nothing when all have it.
The list was made with CPython 3.11.7, 3.12.1, 3.13.0 and 3.14.2, the last one a build for
WebAssembly.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
DEMO = Path(__file__).parent.parent / "src" / "evenhand" / "demo"
NAMES = DEMO / "data" / "names.txt"
TITLE = "# Documents of the demo by version of CPython; a name alone is in all of 3.11 to 3.14."


def read_names(path: Path = NAMES) -> dict[str, set[str]]:
    """Name → the versions that have it."""
    found: dict[str, set[str]] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            name, *versions = line.split(" ")
            found[name] = set(versions or VERSIONS)
    return found


def main() -> int:
    """Put the running version's names in, leave those of the other versions as they are."""
    version = ".".join(map(str, sys.version_info[:2]))
    if version not in VERSIONS:
        print(f"the list is for {', '.join(VERSIONS)}; this is {version}", file=sys.stderr)
        return 2
    spec = importlib.util.spec_from_file_location("harvest", DEMO / "harvest.py")
    if spec is None or spec.loader is None:
        raise ImportError(str(DEMO))
    module = importlib.util.module_from_spec(spec)
    sys.modules["harvest"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    result = module.harvest()
    if result.left_out:
        print(f"this build lacks {', '.join(result.left_out)}; nothing written", file=sys.stderr)
        return 1
    known = read_names() if NAMES.exists() else {}
    for versions in known.values():
        versions.discard(version)
    for name in result.texts:
        known.setdefault(name, set()).add(version)
    lines = [TITLE]
    for name in sorted(name for name, versions in known.items() if versions):
        having = sorted(known[name])
        lines.append(name if len(having) == len(VERSIONS) else " ".join((name, *having)))
    NAMES.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{len(result.texts)} names of Python {result.python}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
