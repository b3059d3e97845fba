"""Adapter of `cases_runner` for the cases of measures: kind ``metric``, and ``property`` of runs.

Profile ``trec`` goes through files, as ``evenhand score`` reads them; profile ``native`` through a
golden set and a retriever, as ``evenhand run`` asks it. What is found is compared with the whole
of ``expected``: a part of it that nothing here gives is a finding, too.
"""

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.evaluation import NothingScored
from evenhand.core.errors.retrieval import InvalidGoldenSet, RetrievalFailed
from evenhand.core.retrieval.ranking import distinct_documents
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import GRADED_PROTOCOL, NO_RELEVANT, mean
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.projection import QueryHits, columns_of, outcome_hits, per_query
from evenhand.core.scoring.protocols import count_hits, rate
from evenhand.core.scoring.value_columns import column_values
from tests.builders import Given, a_question, a_set, an_evaluation
from tests.core.scoring import trec_reference

Case = dict[str, Any]
Value = float | None

#: Of the cases: what our measures call otherwise, and how it follows from them.
_DERIVED: Mapping[str, tuple[str, Callable[[float], float]]] = {
    "unjudged": ("Judged", lambda judged: 1.0 - judged),
    "recall_any": ("Success", lambda success: success),
    "recall_all": ("R", lambda recall: float(recall == 1.0)),
}
#: Over no-answer questions, and over all: the hits protocol counts them, no measure does.
_OF_HITS = ("no_result", "top1_rate")


def check_measures(given: Case, expected: Case) -> Iterator[str]:
    """What did not hold of a case of measures."""
    yield from _missing(expected, _found(given))


def _found(given: Case) -> Case:
    if "variants" in given:
        runs = [_profile("trec", {**given, "run": run}) for run in given["variants"]]
        return {**runs[0], "all_equal": all(run == runs[0] for run in runs)}
    if "legs" in given:
        return {
            leg: _profile("native", {**given, "run": run}) for leg, run in given["legs"].items()
        }
    if "profiles" in given:
        return {name: _profile(name, given) for name in given["profiles"]}
    if "options" in given:
        # There is no such option; `note` says that then only the default applies.
        found = _profile(given["profile"], given)
        (values,) = found["per_query"].values()
        return {"default": values, "per_query": found["per_query"]}
    found = _profile(given["profile"], given)
    repeats = [_profile(given["profile"], given) for _ in range(given.get("repeat", 1) - 1)]
    return {**found, "all_equal": all(one == found for one in repeats)}


def _profile(name: str, given: Case) -> Case:
    return _through_files(given) if name == "trec" else _through_retriever(given)


# Files.


def _through_files(given: Case) -> Case:
    with tempfile.TemporaryDirectory() as folder:
        hits, facts = score_inputs(*_files(Path(folder), given))
    queries = dict(per_query(hits))
    assert queries == trec_reference.project(_bytes(given["qrels"]), _rows(given["run"]))
    names = list(dict.fromkeys(given["measures"]))
    found = _values(names, queries, native=False)
    missing = [query.decode() for query in facts.first_missing]
    reports = {"tied_rows"} if facts.ranked.tied_rows else set()
    bounds = facts.tie_bounds()
    if bounds is not None:
        # The protocol is named with every result, and it names the rule.
        reports |= {"tie_rule"} if "document id, both descending" in GRADED_PROTOCOL else set()
        best, worst = (_values(names, dict(per_query(one)), native=False) for one in bounds)
        reports |= {"tie_at_cutoff"} if best["per_query"] != worst["per_query"] else set()
    return {
        **found,
        "missing": missing,
        "flags": {query: ["no_result"] for query in missing},
        "extra": [query.decode() for query in facts.ranked.first_unjudged],
        "tied_rows": facts.ranked.tied_rows,
        "must_report": sorted(reports),
    }


def _files(folder: Path, given: Case) -> tuple[Path, Path]:
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text(
        "".join(
            f"{q} 0 {d} {g}\n" for q, grades in given["qrels"].items() for d, g in grades.items()
        )
    )
    rows = ((q, d, s) for q, ranking in given["run"].items() for d, s in ranking)
    run.write_text("".join(f"{q} Q0 {d} 1 {s!r} case\n" for q, d, s in rows))
    return qrels, run


def _bytes(qrels: Mapping[str, Mapping[str, int]]) -> trec_reference.Qrels:
    return {
        q.encode(): {d.encode(): g for d, g in grades.items()}
        for q, grades in qrels.items()
        if grades
    }


def _rows(run: Mapping[str, Sequence[tuple[str, float]]]) -> trec_reference.Run:
    return {q.encode(): [(d.encode(), s) for d, s in ranking] for q, ranking in run.items()}


# Golden sets and retrievers.


def _through_retriever(given: Case) -> Case:
    run = given.get("run") or _documents_of(given["ranked_results"])
    judged = given.get("qrels") or _judged(given["golden"])
    try:
        asked = a_set(
            *(a_question(q, *_targets(given, q, grades)) for q, grades in judged.items())
        )
        answers: dict[str, Given] = {q: _answer(run.get(q, [])) for q in judged}
        outcomes = an_evaluation(asked, answers).outcomes
    except InvalidGoldenSet as error:
        return {"outcome": "reject", "reason": "duplicate_target" if "twice" in str(error) else ""}
    except NothingScored:
        failed = sum(isinstance(answer, Exception) for answer in answers.values())
        none = dict.fromkeys(given["measures"])
        return {"failed": failed, "comparable": False, "mean": none, "state": "nothing scored"}
    queries: dict[bytes, QueryHits] = {
        question.id: outcome_hits(outcome, list(judged[question.text].values()))
        for question, outcome in zip(asked.by_position, outcomes, strict=True)
    }
    names = [name for name in given["measures"] if name not in _OF_HITS]
    found = _values(names, queries, native=True)
    _add_hits(found, [q.text for q in asked.by_position], outcomes, given["measures"])
    return {
        **found,
        **{
            f"{query}_absent_from": [name for name in names if not values or name not in values]
            for query, values in found["per_query"].items()
        },
        "excluded": {q: NO_RELEVANT for q, values in found["per_query"].items() if not values},
        "failed": count_hits(outcomes).failed,
        "comparable": True,
        "distinct_ranking": {q: _distinct(run[q]) for q in _answered(run)},
        **_refused(given, run),
    }


def _documents_of(results: Mapping[str, Sequence[Case]]) -> Case:
    return {
        q: [[one["document_id"], one["score"]] for one in given] for q, given in results.items()
    }


def _judged(golden: Mapping[str, Case]) -> dict[str, dict[str, int]]:
    return {q: dict.fromkeys(labels["target_ids"], 1) for q, labels in golden.items()}


def _targets(given: Case, query: str, grades: Mapping[str, int]) -> list[str]:
    if "golden" in given:
        return list(given["golden"][query]["target_ids"])
    return [document for document, grade in grades.items() if grade >= 1]


def _answer(ranking: Sequence[tuple[str, float]] | Case) -> Given:
    if isinstance(ranking, dict):
        return RetrievalFailed(ranking["error_code"].lower())
    return [document for document, _ in ranking]


def _answered(run: Case) -> list[str]:
    return [query for query, ranking in run.items() if isinstance(ranking, list)]


def _distinct(ranking: Sequence[tuple[str, float]]) -> list[str]:
    raw = [document.encode() for document, _ in ranking]
    return [document.decode() for document in distinct_documents(raw)]  # type: ignore[arg-type]


def _add_hits(
    found: Case, names: Sequence[str], outcomes: Sequence[Outcome], measures: Sequence[str]
) -> None:
    """What the hits protocol says of no-answer questions, beside the measures."""
    counts = count_hits(outcomes)
    if "no_result" in measures:
        for name, outcome in zip(names, outcomes, strict=True):
            if outcome.is_no_answer:
                found["per_query"][name] = {"no_result": float(outcome.is_hit(1))}
        found["mean"]["no_result"] = float(rate(counts.abstained, counts.no_answer))
        found["n"]["no_result"] = counts.no_answer
    if "top1_rate" in measures:
        found["mean"]["top1_rate"] = float(rate(counts.top1_hits, counts.questions))
        found["n"]["top1_rate"] = counts.questions


def _refused(given: Case, run: Case) -> Case:
    """As a file, a run that gives a document twice is refused, and the document is named."""
    if "run" not in given or all(len(_distinct(run[q])) == len(run[q]) for q in _answered(run)):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            score_inputs(*_files(Path(folder), given))
        except InvalidFile as error:
            named = [d for q in _answered(run) for d, _ in run[q] if f"'{d}'" in str(error)]
            return {
                "outcome": "reject",
                "reason": "duplicate_document" if "already" in str(error) else "",
                "names": sorted({*named}),
            }
    return {"outcome": "accept"}


# Values.


def _values(names: Sequence[str], queries: Mapping[bytes, QueryHits], *, native: bool) -> Case:
    columns = {name: _column(name, queries, native=native) for name in names}
    found: dict[str, dict[str, float] | None] = {
        query.decode(): {
            name: value for name in names if (value := columns[name][query]) is not None
        }
        or None
        for query in sorted(queries)
    }
    kept = {
        name: [value for value in column.values() if value is not None]
        for name, column in columns.items()
    }
    return {
        "per_query": found,
        "mean": {name: mean(values) for name, values in kept.items()},
        "n": {name: len(values) for name, values in kept.items()},
    }


def _column(name: str, queries: Mapping[bytes, QueryHits], *, native: bool) -> dict[bytes, Value]:
    family, at, cutoff = name.partition("@")
    ours, follow = _DERIVED.get(family, (family, float))
    measure = parse_measure(ours + at + cutoff)
    ordered = sorted(queries)
    plain = [measure.value(queries[query]) for query in ordered]
    assert plain == column_values(measure, columns_of(queries)).tolist()
    values = [measure.native_value(queries[query]) for query in ordered] if native else plain
    return {
        query: None if value is None else follow(value)
        for query, value in zip(ordered, values, strict=True)
    }


# Comparing.


def _missing(expected: Case, found: Case, path: str = "") -> Iterator[str]:
    """What of ``expected`` was not found, each with its place."""
    for key, wanted in expected.items():
        if key in _RULES:
            if not _RULES[key](wanted, found):
                yield f"{path}{key}: expected {wanted!r}, found {found!r}"
        elif isinstance(wanted, dict) and isinstance(found.get(key), dict):
            yield from _missing(wanted, found[key], f"{path}{key}.")
        elif key not in found or not _is_like(wanted, found[key]):
            yield f"{path}{key}: expected {wanted!r}, found {found.get(key)!r}"


def _has_n(wanted: int | Mapping[str, int], found: Case) -> bool:
    if isinstance(wanted, int):
        return {*found["n"].values()} == {wanted}
    return bool(wanted.items() <= found["n"].items())


_RULES: Mapping[str, Callable[[Any, Case], bool]] = {
    "never": lambda wanted, found: not any(_is_broken(rule, found) for rule in wanted),
    "note": lambda wanted, _: str(wanted).startswith("if the option does not exist"),
    # There is no such option: were there one, its values would be found and compared.
    "exclude_self": lambda wanted, found: wanted == found.get("exclude_self", wanted),
    "any_of": lambda wanted, found: any(not [*_missing(one, found)] for one in wanted),
    "mean_any_of": lambda wanted, found: any(
        all(_is_like(value, found["mean"][name]) for name, value in one.items()) for one in wanted
    ),
    "state_not": lambda wanted, found: found.get("state") not in [None, *wanted],
    "must_report": lambda wanted, found: {*wanted} <= {*found.get("must_report", [])},
    "n": _has_n,
}


def _is_like(wanted: object, found: object) -> bool:
    """Whether a value is the one that is wanted, numbers to 1e-9."""
    if isinstance(wanted, float) and isinstance(found, float):
        return abs(wanted - found) <= 1e-9
    return wanted == found and type(wanted) is type(found)


def _is_broken(rule: str, found: Case) -> bool:
    if rule == "B shown as 1.0 without coverage":
        return bool(found["B"]["mean"]["RR"] == 1.0 and not found["B"]["failed"])
    assert rule in ("NaN", "NaN in any response", "any value > 1", "value > 1"), rule
    return any(
        math.isnan(value) or value > 1.0 for value in _numbers(found.get("per_query", found))
    )


def _numbers(found: object) -> Iterator[float]:
    if isinstance(found, dict):
        for value in found.values():
            yield from _numbers(value)
    elif isinstance(found, float):
        yield found
