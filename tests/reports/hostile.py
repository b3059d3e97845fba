"""A result whose every text was written by somebody who means harm."""

from evenhand.core.scoring.evaluation import Evaluation
from evenhand.reports.collection import CollectionReport, Command, CorpusFacts, Entry
from tests.builders import Given, a_provenance, a_question, a_record, a_set, an_evaluation

SCRIPT = "<script>alert('canary')</script>"
IMAGE = "\"><img src=x onerror=alert('canary')>"
TEMPLATE = "{{ 7 * 7 }}{% include 'x' %}"
ESCAPES = "\x1b[2J\x1b]0;canary\x07\x9b31m"
OVERRIDE = "safe\u202egnp.exe"
BROKEN = b"caf\xe9\xff"
MARKUP = "[bold red]canary[/bold red] :boom:"
LINES = "one\ntwo\r\nthree\tfour\u2028five"
ALL = (SCRIPT, IMAGE, TEMPLATE, ESCAPES, OVERRIDE, MARKUP, LINES)
EVERYTHING = " ".join(ALL)

GOLDEN_SET = a_set(
    *(
        a_question(f"{number} {text}", f"target {text}", text=text, hard_class=text)
        for number, text in enumerate(ALL)
    ),
    a_question(BROKEN, b"target " + BROKEN, text=BROKEN, hard_class=BROKEN),
    a_question(f"none {EVERYTHING}", text=EVERYTHING),
    name=EVERYTHING,
)


def an_evaluation_of_it(*, fails: bool = False, corpus: str = "corpus-1") -> Evaluation:
    """Nothing is found, what comes back is hostile too; or every other retrieval fails."""
    given: dict[str, Given] = {
        question.text: [EVERYTHING, BROKEN] for question in GOLDEN_SET.questions
    }
    if fails:
        given[SCRIPT] = type(IMAGE, (Exception,), {})("canary")
    return an_evaluation(
        GOLDEN_SET, given, provenance=a_provenance(corpus=corpus), identifier=EVERYTHING
    )


def a_hostile_collection() -> CollectionReport:
    one, other = an_evaluation_of_it(), an_evaluation_of_it(fails=True)
    moved = an_evaluation_of_it(corpus="corpus-2")
    return CollectionReport(
        title=EVERYTHING,
        intro=(EVERYTHING, EVERYTHING),
        corpora=(CorpusFacts(name=EVERYTHING, documents=1, digest=EVERYTHING),),
        entries=tuple(
            Entry(
                name=f"{number} {EVERYTHING}",
                evaluation=evaluation,
                record=a_record(evaluation, number=number),
                note=EVERYTHING,
                operand=EVERYTHING,
            )
            for number, evaluation in enumerate((one, other, moved))
        ),
        commands=(Command(text=EVERYTHING, says=EVERYTHING),),
        golden_set=EVERYTHING,
        pair_options=("--corpus", EVERYTHING),
        typed_in=EVERYTHING,
    )
