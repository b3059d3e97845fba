"""Measure against peers: ``python -m bench [NAME ...]``.

Without a name everything is measured that takes neither gigabytes of disk nor an hour. Each
module here is one comparison. It prints a table whose last column says whether the goal is met,
and its numbers go to ``bench/results/NAME.json``.
"""

import argparse
import compileall
import json
import platform
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

from bench import (
    console,
    corpus_manifest,
    events,
    gateway,
    hub,
    reviews,
    scoring,
    significance,
    startup,
    transactions,
)

COMPARISONS = {
    "startup": startup.compare,
    "hub": hub.compare,
    "transactions": transactions.compare,
    "console": console.compare,
    "gateway": gateway.compare,
    "events": events.compare,
    "reviews": reviews.compare,
    "corpus_manifest": corpus_manifest.compare,
    "significance": significance.compare,
    "scoring": scoring.compare,
    "scoring_xl": scoring.compare_xl,
}
ON_REQUEST = {"scoring_xl", "console"}
RESULTS = Path(__file__).parent / "results"
PACKAGE = Path(__file__).parent.parent / "src" / "evenhand"


def main() -> int:
    """Run the comparisons; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="bench", description="Evenhand beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMPARISONS))
    parser.add_argument("--rounds", type=int, default=15, help="interleaved runs of each (15)")
    parser.add_argument(
        "--full",
        action="store_true",
        help="simulate 10,000 pairs in significance: a quarter of an hour on two cores; in events"
        " ask 10,000,000 rather than 500,000 of them: minutes, and a gigabyte of disk meanwhile",
    )
    options = parser.parse_args()
    asked = COMPARISONS | {
        "significance": partial(significance.compare, is_full=options.full),
        "events": partial(events.compare, is_full=options.full),
    }
    unknown = set(options.names) - COMPARISONS.keys()
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    # Installing a package compiles it, as is true of every peer; a checkout may not be compiled.
    compileall.compile_dir(PACKAGE, quiet=1)
    missed = False
    for name in options.names or [one for one in COMPARISONS if one not in ON_REQUEST]:
        rows = asked[name](options.rounds)
        print(f"\n{name}, medians of {options.rounds} interleaved runs")
        for row in rows:
            missed |= row.missed
            print(row)
        RESULTS.mkdir(exist_ok=True)
        record = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "rounds": options.rounds,
            "rows": [asdict(row) for row in rows],
        }
        path = RESULTS / f"{name}.json"
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
