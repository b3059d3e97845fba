"""How long does a trusted query take over Parquet, beside a plain DuckDB aggregate?

Over the same columns and the same groups, in a process of its own for each: that process answers
once to have the files in memory and once on the clock, and prints what it used.

    python -m bench.events_query WAY FOLDER
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.events_data import COMMON, START, Row, Used, compared, make_events, used
from evenhand.adapters.formats.event_parquet import write_events
from evenhand.adapters.queries.parquet import over_parquet
from evenhand.contracts.trusted import Window, ask, load_question

#: Most time of a plain aggregate.
GOAL = 1.5
FEW, MANY = 500_000, 10_000_000
_A_FILE, _A_GROUP = 500_000, 50_000
#: Microseconds from one to the next: all lie within a day.
_APART = 8_000
TRUSTED, PLAIN = "trusted", "plain DuckDB"
_QUESTION = "relevant_grounded_accepted"
_KEY = "benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version"
#: The same columns, the same groups, nothing about outcomes.
_PLAIN = f"""
SELECT {_KEY}, COUNT(*), MAX(outcome), AVG(retrieval_score), SUM(grounded::INT), SUM(accepted::INT)
FROM read_parquet($files)
WHERE timestamp_utc >= $window_start AND timestamp_utc < $window_end
GROUP BY {_KEY}
"""  # noqa: S608 -- names of this file
_WINDOW = Window(start=START, end=START + timedelta(days=1))
#: Group → events, mean score, grounded, accepted.
_Answer = dict[tuple[Any, ...], tuple[Any, ...]]


def compare(rounds: int, number: int) -> list[Row]:
    """Both ways over so many events, one after the other in each round."""
    found: dict[str, list[Used]] = {PLAIN: [], TRUSTED: []}
    with _files(number) as folder:
        for _ in range(rounds):
            answers = []
            for way, each in found.items():
                told = _told(way, folder)
                each.append(Used(**told["used"]))
                answers.append(told["answer"])
            _require_equal(*answers, number=number)
    name = f"trusted query, {number:,} in Parquet"
    return [compared(name, PLAIN, found[TRUSTED], found[PLAIN], goal=GOAL, is_most=True)]


@contextmanager
def _files(number: int) -> Iterator[Path]:
    """A folder of Parquet as a sink writes it, made part by part."""
    with tempfile.TemporaryDirectory(prefix="evenhand-events-") as name:
        folder = Path(name)
        first = folder / "first"
        with first.open("wb") as stream:
            write_events(stream, make_events(1, "q"))
        schema = pq.read_schema(first)
        for begin in range(0, number, _A_FILE):
            table = _table(begin, min(_A_FILE, number - begin), schema)
            path = folder / f"events-{begin:010}.parquet"
            pq.write_table(table, path, row_group_size=_A_GROUP)
        yield folder


def _table(begin: int, number: int, schema: pa.Schema) -> pa.Table:
    place = pa.array(range(begin, begin + number), type=pa.int64())

    def _of(size: int) -> Any:
        return pc.subtract(place, pc.multiply(pc.divide(place, size), size))

    def _text(prefix: str, values: Any) -> Any:
        return pc.binary_join_element_wise(prefix, pc.cast(values, pa.string()), "")

    micros = pc.add(pc.multiply(place, _APART), int(START.timestamp()) * 1_000_000)
    columns = {
        "timestamp_utc": pc.cast(micros, pa.timestamp("us", tz="UTC")),
        "event_id": _text("evt_", place),
        "evaluation_id": _text("eval_", place),
        "retrieval_version": _text("hybrid_v", _of(7)),
        "prompt_version": _text("prompt_v", _of(5)),
        "retrieval_score": pc.divide(pc.cast(_of(101), pa.float64()), 100.0),
        "grounded": pc.greater(_of(3), 0),
        "accepted": pc.greater(_of(2), 0),
        "duration_ms": pc.cast(_of(5_000), pa.float64()),
    }
    for name in schema.names:
        if name not in columns:
            columns[name] = pa.array([COMMON[name]] * number, type=pa.string())
    return pa.table({name: columns[name] for name in schema.names}).cast(schema)


def _told(way: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.events_query", way, str(folder)]
    told: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return told


def _require_equal(one: Sequence[Any], other: Sequence[Any], *, number: int) -> None:
    """Refuse answers that differ, or that leave an event out."""
    if sum(values[0] for _, values in one) != number:
        raise SystemExit("a query did not see every event")
    for (key, values), (other_key, others) in zip(one, other, strict=True):
        near = abs(values[1] - others[1]) <= 1e-9
        if key != other_key or values[0] != others[0] or values[2:] != others[2:] or not near:
            raise SystemExit("two ways gave two answers")


def _trusted(folder: Path) -> _Answer:
    question = load_question(_QUESTION)
    with over_parquet(folder) as execute:
        answer = ask(question, _WINDOW, execute)
    return {
        tuple(one.of.values()): (
            one.measures["events"],
            one.measures["mean_retrieval_score"],
            one.measures["grounded"],
            one.measures["accepted"],
        )
        for one in answer.groups
    }


def _plain(folder: Path) -> _Answer:
    given: Mapping[str, Any] = {
        "files": str(folder / "*.parquet"),
        "window_start": _WINDOW.start,
        "window_end": _WINDOW.end,
    }
    with duckdb.connect(":memory:") as connection:
        rows = connection.execute(_PLAIN, given).fetchall()
    return {row[:5]: (row[5], *row[7:]) for row in rows}


def main(way: str, place: str) -> None:
    """Answer twice, and tell what the second time used."""
    answers: list[_Answer] = []
    work: Callable[[Path], _Answer] = {TRUSTED: _trusted, PLAIN: _plain}[way]
    answer = work(Path(place))
    number = sum(int(values[0]) for values in answer.values())
    spent = used(partial(_kept, work, Path(place), answers), number)
    print(json.dumps({"used": asdict(spent), "answer": sorted(answers[0].items())}))


def _kept(work: Callable[[Path], _Answer], folder: Path, answers: list[_Answer]) -> None:
    answers.append(work(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
