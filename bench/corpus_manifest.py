"""Does the manifest of a million documents fit into 200 MiB (settled 1)?

The corpus has its ids in no order. A child process digests it and says how much memory it had at
its peak; generating the corpus is not part of that.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = 1_000_000
LIMIT_MIB = 200
CHILD = """
import resource, sys
from pathlib import Path
from evenhand.adapters.formats.corpus_manifest import write_manifest
found = write_manifest(Path(sys.argv[1]), Path(sys.argv[2]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(found.documents, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One corpus: its size, and what its manifest took."""

    name: str
    documents: int
    corpus_mib: float
    peak_mib: float
    limit_mib: float
    cpu_seconds: float

    @property
    def missed(self) -> bool:
        """Whether the peak is above the limit."""
        return self.peak_mib > self.limit_mib

    def __str__(self) -> str:
        verdict = "missed" if self.missed else "met"
        return (
            f"  {self.name:20} {self.documents} documents, {self.corpus_mib:.0f} MiB: "
            f"peak {self.peak_mib:.1f} MiB, {self.cpu_seconds:.1f} s of CPU"
            f"  goal {self.limit_mib:.0f} MiB: {verdict}"
        )


def compare(rounds: int) -> list[Row]:
    """One run, however many rounds are asked for: a peak hardly moves, and a run takes a minute."""
    del rounds
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        corpus = Path(folder) / "corpus.jsonl"
        write_corpus(corpus, DOCUMENTS)
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(corpus), str(Path(folder) / "manifest")],
            check=True,
            capture_output=True,
            text=True,
        )
        documents, peak_mib, cpu_seconds = done.stdout.split()
        return [
            Row(
                name="corpus manifest",
                documents=int(documents),
                corpus_mib=corpus.stat().st_size / 2**20,
                peak_mib=float(peak_mib),
                limit_mib=LIMIT_MIB,
                cpu_seconds=float(cpu_seconds),
            )
        ]


def write_corpus(path: Path, documents: int, words: int = 60) -> None:
    """Write a corpus whose ids are a permutation: the step has no factor of the count."""
    step = 7919 if documents % 7919 else 7907
    text = " ".join(f"word{number}" for number in range(words))
    with path.open("w", encoding="utf-8") as stream:
        for number in range(documents):
            document = f"msmarco_v2_doc_{number * step % documents:09d}"
            line = {"_id": document, "title": f"title {number}", "text": f"{number} {text}"}
            stream.write(json.dumps(line) + "\n")
