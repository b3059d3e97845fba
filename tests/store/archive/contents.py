"""A database as people fill it: through the product, with ids and texts of every kind."""

from datetime import timedelta

from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.store.uow import open_database
from evenhand.usecases import access
from evenhand.usecases.evaluations import record
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import projects, suites
from tests.builders import (
    RELEASE,
    START,
    FakeClock,
    a_baseline,
    a_provenance,
    a_question,
    a_set,
    a_set_use,
    an_evaluation,
    row_id,
)
from tests.store.conftest import CountingIds
from tests.suite_builders import a_case_question, a_frozen_suite
from tests.usecases.access_parts import CountingSecrets

SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)

#: Ids that are no UTF-8, look like numbers, differ only in composition, or hold a line feed.
ODD_SET: GoldenSet = a_set(
    a_question(b"\xff\xfe", b"\x80document-canary", text=b"text \xff"),
    a_question("caf\u00e9", "cafe\u0301", "d\u00e9", text="\U0001f600 \u2028 \x7f"),
    a_question("1", "01", "1.0", text='"quoted" \\u0041 \n'),
    a_question("10", text="nothing answers"),
    a_question("2", unjudged=True),
    holdout=[a_question("held", "d1"), a_question("held too")],
)


def fill_richly(url: str, *, privacy: PrivacyLevel = PrivacyLevel.FULL) -> None:
    """Store sets, evaluations, values, decisions, and tokens that took each other's place."""
    database = open_database(url, clock=FakeClock(), ids=CountingIds())
    questions = ODD_SET.questions

    def evaluations(uow: UnitOfWork) -> None:
        for number, broken in enumerate((None, ValueError("nothing"), None), 1):
            given = {one.text: one.expected_document_ids for one in questions}
            if broken is not None:
                given[questions[0].text] = broken  # type: ignore[assignment]  # a fault for an answer
            record(
                uow,
                an_evaluation(ODD_SET, given, provenance=a_provenance() if number > 1 else None),
                id=row_id(number),
                policy=LevelPolicy(level=privacy),
                release=RELEASE,
                measures=[parse_measure("nDCG@10"), parse_measure("AP")] if number == 2 else [],
            )

    def people(uow: UnitOfWork) -> None:
        ids, secrets = CountingIds(), CountingSecrets()
        access.create(uow, name="ci", role=Role.VIEWER, actor=SOMEBODY, ids=ids, secrets=secrets)
        for _ in range(3):
            access.rotate(uow, "ci", actor=SOMEBODY, ids=ids, secrets=secrets)
        access.revoke(uow, "ci", actor=SOMEBODY, ids=ids)

    def suites_of_a_project(uow: UnitOfWork) -> None:
        ids = CountingIds()
        # Apart from those of `people`, whose entries of the audit are counted as well.
        for _ in range(1000):
            ids.new()
        project = projects.create(uow, name="shop", actor=SOMEBODY, ids=ids)
        suite = suites.create(uow, project_id=project.id, name="release", actor=SOMEBODY, ids=ids)
        content = a_frozen_suite(
            a_case_question(
                b"\xff", b"\x80d", "d", text=b"text \xff", grades=[("d", 2), (b"\x80d", 1)]
            ),
            a_case_question("caf\u00e9", text="\U0001f600 \u2028 \x7f", critical=True),
            settings={"\u00e9": [1.0, 2**70, None]},
        ).content
        suites.freeze(uow, suite.id, content, actor=SOMEBODY, ids=ids)

    database.run(lambda uow: uow.golden_sets.save(ODD_SET, imported_at=START))
    database.run(evaluations)
    database.run(lambda uow: uow.baselines.add(a_baseline(note="a note\nof two lines")))
    database.run(lambda uow: uow.set_uses.add(a_set_use(evaluation_ids=(row_id(1), row_id(2)))))
    database.run(people)
    database.run(suites_of_a_project)
    database.run(
        lambda uow: uow.evaluations.purge(
            before=START - timedelta(days=1), category="evaluation", actor="tester"
        )
    )
    database.close()
