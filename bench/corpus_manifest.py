"""Does the manifest of a million documents fit into 200 MiB (settled 1)?

Makes a corpus with ids in no order, digests it in a child process, and reports the child's peak
memory and its time. Prints a table and writes bench/results/corpus_manifest.json.

    python bench/corpus_manifest.py [--documents N] [--words N]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_MIB = 200
RESULTS = Path(__file__).parent / "results" / "corpus_manifest.json"
CHILD = """
import sys
from pathlib import Path
from evenhand.adapters.formats.corpus_manifest import write_manifest
found = write_manifest(Path(sys.argv[1]), Path(sys.argv[2]))
print(found.digest, found.documents)
"""


def write_corpus(path: Path, documents: int, words: int) -> None:
    """A corpus whose ids are a permutation: a multiplier without a factor of the count."""
    step = 7919 if documents % 7919 else 7907
    text = " ".join(f"word{number}" for number in range(words))
    with path.open("w", encoding="utf-8") as stream:
        for number in range(documents):
            document = f"msmarco_v2_doc_{number * step % documents:09d}"
            line = {"_id": document, "title": f"title {number}", "text": f"{number} {text}"}
            stream.write(json.dumps(line) + "\n")


def measure(corpus: Path, manifest: Path) -> dict[str, float | int | str]:
    """Run the child; its peak resident set, its processor time and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(corpus), str(manifest)],
        check=True,
        capture_output=True,
        text=True,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    digest, documents = done.stdout.split()
    return {
        "documents": int(documents),
        "corpus_mib": round(corpus.stat().st_size / 2**20, 1),
        "peak_mib": round(used.ru_maxrss / 1024, 1),
        "limit_mib": LIMIT_MIB,
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "wall_seconds": round(time.perf_counter() - started, 2),
        "digest": digest,
    }


def main() -> int:
    """Measure once; exit 1 when the limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        corpus = Path(folder) / "corpus.jsonl"
        write_corpus(corpus, given.documents, given.words)
        result = measure(corpus, Path(folder) / "manifest")
    for name, value in result.items():
        print(f"{name:14} {value}")
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    is_met = float(result["peak_mib"]) <= LIMIT_MIB
    print("goal met" if is_met else "goal missed")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
