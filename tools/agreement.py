"""How far does a second, blind judge agree with the labels of the demo's questions?

    python tools/agreement.py tests/demo/judgement

The folder holds ``questions.json`` (the questions and targets as they were when they were judged,
and which documents were shown with each) and ``answers-*.json`` (those that answer it, in the
judge's view). The judge saw neither targets nor notes. Printed are, over all (question, document) pairs, raw agreement and Cohen's kappa; over
questions, how often the two sets are equal; and every disagreement, for a third look.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path


def read_answers(folder: Path) -> dict[str, set[str]]:
    """Question id → documents that the judge says answer it."""
    answers: dict[str, set[str]] = {}
    for path in sorted(folder.glob("answers-*.json")):
        for question, documents in json.loads(path.read_text(encoding="utf-8")).items():
            answers[question] = set(documents)
    return answers


def kappa(pairs: list[tuple[bool, bool]]) -> float:
    """Cohen's kappa of two yes-or-no judgements (Cohen 1960); 1.0 where both are constant."""
    total = len(pairs)
    agreed = sum(one == other for one, other in pairs) / total
    yes = [sum(pair[side] for pair in pairs) / total for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


def main() -> int:
    """Print the agreement; exit 1 when an answer is missing or names an unknown document."""
    folder = Path(sys.argv[1])
    judged = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    pools = {one: question["shown"] for one, question in judged.items()}
    labels = {one: set(question["targets"]) for one, question in judged.items()}
    answers = read_answers(folder)
    problems = [f"{one}: not judged" for one in pools if one not in answers]
    problems += [
        f"{one}: {document} was not shown"
        for one, documents in answers.items()
        for document in documents - set(pools.get(one, []))
    ]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    pairs = [
        (document in labels[one], document in answers[one])
        for one, pool in pools.items()
        for document in pool
    ]
    table = Counter(pairs)
    equal = [one for one in pools if labels[one] == answers[one]]
    hit = [one for one in pools if labels[one] and labels[one] & answers[one]]
    answerable = sum(bool(labels[one]) for one in pools)
    empty = sum(not labels[one] and not answers[one] for one in pools)
    print(
        f"pairs {len(pairs)}: both yes {table[True, True]}, both no {table[False, False]}, "
        f"only label {table[True, False]}, only judge {table[False, True]}"
    )
    print(
        f"raw agreement {sum(a == b for a, b in pairs) / len(pairs):.3f}, "
        f"Cohen's kappa {kappa(pairs):.3f}"
    )
    print(f"questions {len(pools)}: equal sets {len(equal)}")
    print(f"answerable {answerable}: at least one target confirmed {len(hit)}")
    print(f"no answer {len(pools) - answerable}: confirmed {empty}")
    for one in pools:
        if labels[one] != answers[one]:
            only = sorted(labels[one] - answers[one]), sorted(answers[one] - labels[one])
            print(f"  {one}: only label {only[0]}, only judge {only[1]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
