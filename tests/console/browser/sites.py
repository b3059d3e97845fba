"""What a served console shows: something for every page, as a project of some weeks would have it."""

import random  # noqa: TID251 -- seeded, the same in every run
from datetime import timedelta

from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import (
    START,
    FakeClock,
    Given,
    Text,
    a_baseline,
    a_provenance,
    a_question,
    a_set,
    an_evaluation,
)
from tests.console.conftest import Console
from tests.console.rows import Trail, fill_trail

SIZE, UNANSWERED = 80, 6
#: Corpus of each result of the series, oldest first, and the share of targets at rank 1.
SERIES = (
    ("corpus-07", 0.62),
    ("corpus-07", 0.66),
    ("corpus-07", 0.65),
    ("corpus-08", 0.58),
    ("corpus-08", 0.63),
    ("corpus-08", 0.69),
)
_CLASSES = ("normal", "near-duplicate", "boilerplate", None)
_TOPICS = ("sign in", "rotate a key", "restore a backup", "read the log", "raise a limit")


class UnevenClock(FakeClock):
    """A clock by which some retrievals take longer than others."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._draws = random.Random(seed)  # noqa: S311 -- the same in every run

    def monotonic(self) -> float:
        self._elapsed_ms += int(self._draws.lognormvariate(2.6, 0.45)) + 1
        return self._elapsed_ms / 1000


def site_set() -> GoldenSet:
    """Answerable questions of two forms and some classes, and some that nothing answers."""
    return a_set(
        *(
            a_question(
                f"q{number:03d}",
                f"handbook/page-{number}.md",
                text=f"How do I {_TOPICS[number % 5]} in part {number}?",
                form="match" if number % 3 else "gap",
                hard_class=_CLASSES[number % 4],
            )
            for number in range(SIZE)
        ),
        *(a_question(f"x{n}", text=f"Who wrote part {n}?") for n in range(UNANSWERED)),
        identifier="handbook",
        name="The handbook",
    )


def fill_evaluations(console: Console) -> None:
    """A series with a break, a rival over the newest corpus, a baseline, one that says nothing."""
    golden_set = console.keep(site_set())
    for number, (corpus, share) in enumerate(SERIES, 1):
        made = a_result(golden_set, corpus, "hybrid", share=share, seed=number // 2)
        console.add(made, number=number, created_at=START - timedelta(days=14 - 2 * number))
    rival = a_result(golden_set, "corpus-08", "dense", share=0.55, seed=2, failing=3)
    console.add(rival, number=8)
    console.add(an_evaluation(golden_set, identifier="undeclared"), number=9)
    console.parts.database.run(lambda uow: uow.baselines.add(a_baseline(made, number=6)))


def a_result(
    golden_set: GoldenSet, corpus: str, name: str, *, share: float, seed: int, failing: int = 0
) -> Evaluation:
    """A result in which so large a share of targets comes first."""
    draws = random.Random(seed)  # noqa: S311 -- the same in every run
    given: dict[str, Given] = {}
    for number, question in enumerate(golden_set.questions):
        others: list[Text] = [f"handbook/page-{number + step}.md" for step in range(200, 211)]
        place = 0 if draws.random() < share else draws.choice((1, 1, 2, 4, 7, 11))
        targets: tuple[Text, ...] = question.expected_document_ids
        answer = (*others[:place], *targets, *others[place:])[: 12 if targets else 0]
        given[question.text] = answer
    for question in golden_set.questions[:failing]:
        given[question.text] = TimeoutError("late")
    provenance = a_provenance(
        corpus=corpus, model=f"{name}-encoder", pipeline=f"{name}-{share}", execution="9f2c1d7"
    )
    return an_evaluation(
        golden_set, given, provenance=provenance, identifier=name, clock=UnevenClock(seed)
    )


def fill_site(console: Console) -> Trail:
    """Everything."""
    fill_evaluations(console)
    return fill_trail(console.parts.database)
