"""What must be said beside the scores of a run? One line each, for standard error."""

from __future__ import annotations

from evenhand.core.identity.canonical import to_text
from evenhand.reports.safe_text import shown_id

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from evenhand.core.scoring.run_facts import OtherSpellings
    from evenhand.usecases.scoring import ScoredRun

_SHOWN: Final = 100  # bytes of an id


def score_warnings(run: ScoredRun, *, digits: int) -> Iterator[str]:
    """What else the numbers depend on: other queries, ties, the precision of scores.

    Args:
        run: what was scored.
        digits: behind the decimal point, as in the numbers themselves.
    """
    facts = run.facts
    if facts is None:
        return
    ranked = facts.ranked
    if facts.missing_queries:
        yield (
            f"{_queries(facts.missing_queries)} judged and not in the run, counted with 0: "
            f"{_named(facts.first_missing, facts.missing_queries)}"
        )
    if ranked.unjudged_queries:
        yield (
            f"{_queries(ranked.unjudged_queries)} in the run and not judged, left out: "
            f"{_named(ranked.first_unjudged, ranked.unjudged_queries)}"
        )
    if len(ranked.ties):
        yield _ties(run, ranked.tied_rows, len(ranked.ties), digits)
    if facts.spellings is not None:
        yield _spellings(facts.spellings)
    if ranked.longer_rows:
        yield f"{_longer(ranked.longer_rows)} more than 6 columns; what follows is not looked at"
    if ranked.collapsed_scores:
        yield (
            f"{ranked.collapsed_scores} scores are told apart here and would be equal in 32 bits, "
            "in which trec_eval 9, pytrec_eval and ir_measures hold them: their order may differ"
        )


def _ties(run: ScoredRun, rows: int, hits: int, digits: int) -> str:
    bounds = [
        (one.name, f"{one.lowest:.{digits}f}", f"{one.highest:.{digits}f}")
        for one in run.measures
        if one.lowest is not None and one.highest is not None
    ]
    seen = ", ".join(f"{name} {low} to {high}" for name, low, high in bounds if low != high)
    if seen:
        allowed = f"by their order alone a mean may lie within {seen}"
    elif bounds:
        allowed = "their order changes no mean in the digits shown"
    else:
        allowed = "no order of them changes a mean"
    judged = "1 judged document is" if hits == 1 else f"{hits} judged documents are"
    return (
        f"{rows} rows share their score with another one of their query, {judged} among them, "
        f"and rank by document id; {allowed}"
    )


def _spellings(found: OtherSpellings) -> str:
    rows = "1 row of the run names" if found.rows == 1 else f"{found.rows} rows of the run name"
    return (
        f"{rows} an id that differs from a judged one only by Unicode normalisation (accents "
        f"composed in one file and decomposed in the other), such as {_ascii(found.in_run)} for "
        f"{_ascii(found.judged)}; ids are compared by their bytes, so these are not judged"
    )


def _ascii(identifier: bytes) -> str:
    # Shown as they are, the two would look alike.
    return ascii(to_text(identifier[:_SHOWN]))


def _longer(number: int) -> str:
    return "1 row of the run has" if number == 1 else f"{number} rows of the run have"


def _queries(number: int) -> str:
    return "1 query is" if number == 1 else f"{number} queries are"


def _named(first: tuple[bytes, ...], number: int) -> str:
    named = ", ".join(map(shown_id, first))
    return f"{named}, …" if number > len(first) else named
