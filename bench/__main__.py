"""Measure against peers: ``python -m bench [NAME ...]``; without a name, everything.

Each module here is one comparison. It prints a table whose last column says whether the goal
is met, and its numbers go to ``bench/results/NAME.json``.
"""

import argparse
import json
import platform
import sys
from pathlib import Path

from bench import corpus_manifest, significance, startup

COMPARISONS = {
    "startup": startup.compare,
    "corpus_manifest": corpus_manifest.compare,
    "significance": significance.compare,
}
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run the comparisons; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="bench", description="Evenhand beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMPARISONS))
    parser.add_argument("--rounds", type=int, default=15, help="interleaved runs of each (15)")
    options = parser.parse_args()
    unknown = set(options.names) - COMPARISONS.keys()
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    missed = False
    for name in options.names or COMPARISONS:
        rows = COMPARISONS[name](options.rounds)
        print(f"\n{name}, medians of {options.rounds} interleaved runs")
        for row in rows:
            missed |= row.missed
            print(row)
        RESULTS.mkdir(exist_ok=True)
        record = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "rounds": options.rounds,
            "rows": [row.record() for row in rows],
        }
        path = RESULTS / f"{name}.json"
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
