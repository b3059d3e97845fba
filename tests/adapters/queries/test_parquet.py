"""DuckDB over exported Parquet gives the answers of the cases, with the same text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.event_lines import read_events
from evenhand.adapters.formats.event_parquet import count_rows, read_rows, write_events
from evenhand.adapters.queries.parquet import over_parquet
from evenhand.contracts.contract import FOLDER
from evenhand.contracts.decoding import decode_event
from evenhand.contracts.events import Event, validate_event
from evenhand.contracts.lint import case_paths, case_window, differences, load_case
from evenhand.contracts.trusted import ask, load_question, question_names
from evenhand.core.errors import InvalidEvent, InvalidFile
from tests.conftest import require_or_skip
from tests.contracts.test_events import SEED
from tests.event_builders import event_document

CASES = [
    pytest.param(name, path, id=f"{name}-{path.stem}")
    for name in question_names()
    for path in case_paths(FOLDER, name)
]


@pytest.fixture(autouse=True)
def _engine() -> None:
    from importlib.util import find_spec

    require_or_skip(find_spec("duckdb") and find_spec("pyarrow"), "the extra analytics")


def write(path: Path, events: Sequence[Event]) -> int:
    with path.open("wb") as stream:
        return write_events(stream, events)


@pytest.mark.proves("E-37", "G-70")
@pytest.mark.parametrize(("name", "path"), CASES)
def test_a_case_has_its_answer_over_parquet(name: str, path: Path, tmp_path: Path) -> None:
    case = load_case(path)
    events = [decode_event(one) for one in case.events]
    # Two files: a folder is read as one table.
    write(tmp_path / "1.parquet", events[::2])
    write(tmp_path / "2.parquet", events[1::2])
    with over_parquet(tmp_path) as execute:
        answer = ask(load_question(name), case_window(case), execute)
    rows = [{**one.of, **one.measures} for one in answer.groups]
    assert differences(case.rows, rows) == []


def test_events_survive_parquet(tmp_path: Path) -> None:
    events = [
        validate_event(SEED | {"timestamp_utc": "2026-07-29T10:12:43.000001Z"}),
        validate_event(SEED | {"event_id": "evt_2", "outcome": "ineligible", "grounded": False}),
    ]
    path = tmp_path / "events.parquet"
    assert write(path, events) == count_rows(path) == 2
    assert list(map(validate_event, read_rows(path))) == events


@pytest.mark.parametrize("content", [b"", b"PAR1 no file"])
def test_what_is_no_parquet_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.parquet"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=r"events\.parquet"):
        count_rows(path)
    with pytest.raises(InvalidFile, match=r"events\.parquet"), over_parquet(path):
        pass


def test_a_folder_or_a_file_without_events_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    with pytest.raises(InvalidFile, match="holds no Parquet"), over_parquet(tmp_path):
        pass
    columns: dict[str, Any] = {"a": [1]}
    parquet.write_table(pa.table(columns), tmp_path / "other.parquet")
    with pytest.raises(InvalidFile, match="holds no events"), over_parquet(tmp_path):
        pass


@pytest.mark.proves("E-29")
@pytest.mark.parametrize("field", ["release", "timestamp_utc"])
def test_a_cell_that_is_no_value_is_refused_by_its_field_and_the_others_are_taken(
    field: str, tmp_path: Path
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    texts: Any = pa.array([b"\xff", b"r1"])
    broken: dict[str, Any] = {
        "release": pa.Array.from_buffers(pa.string(), 2, texts.buffers()),
        "timestamp_utc": pa.array([2**62, 0], type=pa.timestamp("us", tz="UTC")),
    }
    columns: dict[str, Any] = {
        name: [value] * 2 for name, value in event_document().items() if name != field
    }
    path = tmp_path / "events.parquet"
    parquet.write_table(pa.table({**columns, field: broken[field]}), path)
    first, second = read_events(path)
    assert isinstance(first, InvalidEvent)
    assert first.field == field
    assert isinstance(second, Event)


def test_a_time_in_a_zone_that_nobody_knows_is_refused_by_its_field(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, Any] = {name: [value] for name, value in event_document().items()}
    columns["timestamp_utc"] = pa.array([0], type=pa.timestamp("us", tz="Mars/Base"))
    path = tmp_path / "events.parquet"
    parquet.write_table(pa.table(columns), path)
    (found,) = read_events(path)
    assert isinstance(found, InvalidEvent)
    assert found.field == "timestamp_utc"
