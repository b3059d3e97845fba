"""The contract's folder: frozen fields, a schema made from them, exports, and what may change."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.queries.memory import over_events
from evenhand.contracts.contract import (
    FOLDER,
    SCHEMA_FILE,
    Contract,
    Field,
    FieldType,
    Privacy,
    field_registry,
    read_contract,
    shipped_contract,
)
from evenhand.contracts.decoding import decode_event
from evenhand.contracts.events import Event
from evenhand.contracts.evolution import compare_contracts, is_allowed
from evenhand.contracts.lint import lint_contract
from evenhand.contracts.schema import json_schema, odcs
from evenhand.core.errors import InvalidEvent, InvalidFile
from evenhand.core.identity.canonical import sha256_hex
from tests.contracts.test_events import REQUIRED, SEED

REGISTRY = Path(__file__).parent / "field_registry.json"
SCHEMA = jsonschema_rs.validator_for(json_schema(shipped_contract()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the contract's folder that a test may spoil."""
    return Path(shutil.copytree(FOLDER, tmp_path / "v1"))


def is_event(document: object) -> bool:
    try:
        decode_event(msgspec.json.encode(document))
    except InvalidEvent:
        return False
    return True


@pytest.mark.proves("G-69", "E-15", "E-41")
def test_name_type_requirement_privacy_and_meaning_of_each_field_are_frozen() -> None:
    frozen = json.loads(REGISTRY.read_bytes())
    assert field_registry(shipped_contract()) == frozen


@pytest.mark.proves("E-01", "E-04", "E-05", "E-06")
def test_the_contract_states_owner_grain_and_outcome_boundary() -> None:
    contract = shipped_contract()
    assert contract.owner == "RAG evaluation pipeline"
    assert contract.grain == (
        "One evaluator result per eligible query, retrieval version, evaluator and candidate run."
    )
    assert contract.emitted_when == (
        "After the retrieval and the answer evaluation have ended,"
        " or when the candidate becomes ineligible."
    )


@pytest.mark.proves("E-07", "E-08")
def test_the_fields_of_the_grain_are_required_and_so_are_exactly_ten() -> None:
    contract = shipped_contract()
    assert sorted(contract.required_names) == sorted(REQUIRED)
    assert len(contract.required_names) == 10
    assert set(contract.grain_key) == {
        "account_id",
        "evaluation_id",
        "retrieval_version",
        "evaluator_version",
    }
    assert set(contract.grain_key) <= set(contract.required_names)


@pytest.mark.proves("E-18", "E-19", "E-20", "E-21")
@pytest.mark.parametrize(
    ("name", "privacy"),
    [
        ("event_id", "non-sensitive"),
        ("release", "non-sensitive"),
        ("account_id", "pseudonymous"),
        ("evaluation_id", "pseudonymous"),
    ],
)
def test_an_identifier_is_a_required_string_of_its_class(name: str, privacy: str) -> None:
    field = shipped_contract().find(name)
    assert field is not None
    assert (field.type, field.required, field.privacy) == (FieldType.STRING, True, privacy)


@pytest.mark.proves("E-22", "E-23", "E-24", "E-25")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("retrieval_version", "string"),
        ("evaluator_version", "string"),
        ("retrieval_score", "number"),
        ("grounded", "boolean"),
    ],
)
def test_a_result_is_required_of_its_type_and_not_sensitive(name: str, kind: str) -> None:
    field = shipped_contract().find(name)
    assert field is not None
    assert (field.type, field.required, field.privacy) == (kind, True, "non-sensitive")


@pytest.mark.proves("E-26", "E-27")
def test_acceptance_is_an_optional_boolean_and_the_duration_a_required_number() -> None:
    accepted, duration = (shipped_contract().find(one) for one in ("accepted", "duration_ms"))
    assert accepted is not None
    assert duration is not None
    assert (accepted.type, accepted.required) == (FieldType.BOOLEAN, False)
    assert (duration.type, duration.required) == (FieldType.NUMBER, True)


@pytest.mark.proves("E-13", "E-30", "E-31")
def test_each_pseudonymous_or_review_field_is_classified() -> None:
    fields = shipped_contract().fields
    assert [one.name for one in fields if one.privacy is Privacy.PSEUDONYMOUS] == [
        "account_id",
        "evaluation_id",
    ]
    assert [one.name for one in fields if one.review] == [
        "evaluator_version",
        "grounded",
        "accepted",
        "review_stratum",
    ]


@pytest.mark.proves("E-02", "E-09", "E-11", "E-12")
def test_the_shipped_contract_has_fixtures_of_every_kind_and_nothing_is_wrong() -> None:
    names = {path.name for path in (FOLDER / "fixtures").iterdir()}
    assert {"known.pass.json", "alternative.pass.json", "duplicate.pass.json"} <= names
    assert {"conflict.pass.json", "missing_release.fail.json"} <= names
    assert lint_contract(FOLDER, over_events) == []


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _remove_all(folder: Path, pattern: str) -> None:
    for path in folder.glob(pattern):
        path.unlink()


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a schema of another text": (
        lambda folder: _edit(folder / SCHEMA_FILE, '"maximum": 1', '"maximum": 2'),
        SCHEMA_FILE,
    ),
    "an optional field without a decision": (
        lambda folder: _edit(
            folder / "contract.toml",
            'decision = "Which versions give answers that people accept."\n',
            "",
        ),
        "accepted",
    ),
    "an identifier without a need": (
        lambda folder: _edit(folder / "contract.toml", 'need = "Investigation: which', '#"'),
        "evaluation_id",
    ),
    "a fixture that is an event and should be none": (
        lambda folder: (folder / "fixtures" / "known.pass.json").rename(
            folder / "fixtures" / "known.fail.json"
        ),
        "fixtures/known.fail.json",
    ),
    "no fixture of a conflict": (
        lambda folder: _remove_all(folder / "fixtures", "*conflict*"),
        "fixtures",
    ),
    "a case with another answer": (
        lambda folder: _edit(
            folder / "questions/duration/cases/nearest_rank.json", "190.0", "180.0"
        ),
        "questions/duration/cases/nearest_rank.json",
    ),
    "a query that was edited": (
        lambda folder: _edit(folder / "questions/duration/query.sql", "* 95", "* 90"),
        "questions/duration",
    ),
    "a grain of an optional field": (
        lambda folder: _edit(
            folder / "contract.toml", '"evaluator_version"]', '"evaluator_version", "accepted"]'
        ),
        "accepted",
    ),
}


@pytest.mark.proves("E-16", "E-42", "E-40", "E-02")
@pytest.mark.parametrize("name", SPOILED)
def test_lint_finds_what_is_wrong(name: str, folder: Path) -> None:
    spoil, place = SPOILED[name]
    spoil(folder)
    assert place in [problem.place for problem in lint_contract(folder, over_events)]


# What may change.


def _field(name: str, /, **stated: Any) -> Field:
    given: dict[str, Any] = {
        "name": name,
        "type": FieldType.STRING,
        "required": False,
        "privacy": Privacy.NON_SENSITIVE,
        "meaning": f"What {name} means.",
        "decision": "Which one to keep.",
    }
    return Field(**given | stated)


def _with(contract: Contract, name: str, /, **stated: Any) -> Contract:
    fields = tuple(
        msgspec.structs.replace(one, **stated) if one.name == name else one
        for one in contract.fields
    )
    return msgspec.structs.replace(contract, fields=fields)


def _without(contract: Contract, name: str) -> Contract:
    fields = tuple(one for one in contract.fields if one.name != name)
    return msgspec.structs.replace(contract, fields=fields)


def _and(contract: Contract, field: Field) -> Contract:
    return msgspec.structs.replace(contract, fields=(*contract.fields, field))


SHIPPED = shipped_contract()


@pytest.mark.parametrize(
    "new",
    [
        _and(SHIPPED, _field("region", required=True)),
        _and(SHIPPED, _field("region", decision=None)),
        _with(SHIPPED, "account_id", privacy=Privacy.NON_SENSITIVE),
        _with(SHIPPED, "release", required=False),
        _with(SHIPPED, "outcome", values=("evaluated",)),
        _with(SHIPPED, "outcome", values=()),
        _with(SHIPPED, "retrieval_score", maximum=100),
        _with(SHIPPED, "grounded", meaning="Whether the answer is long."),
        msgspec.structs.replace(SHIPPED, grain="One row per run."),
        msgspec.structs.replace(SHIPPED, version=0),
    ],
)
def test_what_is_no_mere_addition_needs_another_version(new: Contract) -> None:
    assert not is_allowed(compare_contracts(SHIPPED, new))
    if new.version == 1:
        another = msgspec.structs.replace(new, version=2)
        assert is_allowed(compare_contracts(SHIPPED, another))


def test_a_contract_equals_itself_and_may_learn_another_outcome() -> None:
    assert compare_contracts(SHIPPED, SHIPPED) == ()
    more = _with(SHIPPED, "outcome", values=("evaluated", "ineligible", "withdrawn"))
    assert is_allowed(compare_contracts(SHIPPED, more))


# Schema and decoder accept the same.

_TEXTS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["a", "acct_1", "a b", "é", "a\n", "x" * 128, "x" * 129, "v1:" + "0" * 64]),
)
_TIMES = st.one_of(
    _TEXTS,
    st.sampled_from(["2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0000-01-01"]).map(
        lambda day: f"{day}T00:00:00Z"
    ),
    st.datetimes().map(lambda at: at.isoformat() + "Z"),
    st.from_regex(r"\A20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-2][0-9]:00:[0-6]0(\.[0-9]{1,10})?Z\Z"),
)
_NUMBERS = st.one_of(
    st.integers(-2, 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.sampled_from([0, 1, 0.5, 1.0000001, -0.1]),
    _TEXTS,
)
_VALUES = st.one_of(
    st.none(), st.booleans(), _TEXTS, _NUMBERS, st.lists(st.booleans(), max_size=1)
)
_CHANGES = st.dictionaries(
    st.sampled_from([*SHIPPED.names, "query"]),
    st.one_of(_VALUES, st.sampled_from(["evaluated", "a7" * 32, "v1:" + "a7" * 32])),
    max_size=3,
)


@pytest.mark.proves("E-09", "E-10", "G-68")
@given(
    changes=_CHANGES,
    at=st.one_of(st.just(SEED["timestamp_utc"]), _TIMES),
    score=st.one_of(st.just(0.5), _NUMBERS),
    left_out=st.sets(st.sampled_from(SHIPPED.names), max_size=1),
)
def test_typed_decoder_and_schema_accept_the_same_documents(
    changes: dict[str, Any], at: object, score: object, left_out: set[str]
) -> None:
    document = SEED | {"timestamp_utc": at, "retrieval_score": score} | changes
    document = {name: value for name, value in document.items() if name not in left_out}
    assert is_event(document) is SCHEMA.is_valid(document)


@pytest.mark.proves("E-28", "E-10")
def test_the_schema_file_is_the_one_that_the_fields_make_and_takes_the_example() -> None:
    shipped = json.loads((FOLDER / SCHEMA_FILE).read_bytes())
    assert shipped == json_schema(SHIPPED)
    assert jsonschema_rs.validator_for(shipped).is_valid(SEED)


def test_the_odcs_document_names_key_types_and_classes() -> None:
    document = odcs(SHIPPED)
    (table,) = document["schema"]
    columns = {one["name"]: one for one in table["properties"]}
    assert (document["apiVersion"], document["kind"]) == ("v3.1.0", "DataContract")
    assert list(columns) == list(SHIPPED.names)
    assert columns["timestamp_utc"]["logicalType"] == "timestamp"
    assert columns["account_id"]["classification"] == "pseudonymous"
    assert columns["retrieval_score"]["logicalTypeOptions"] == {"minimum": 0, "maximum": 1}
    assert [name for name, one in columns.items() if one.get("primaryKey")] == [
        "account_id",
        "evaluation_id",
        "retrieval_version",
        "evaluator_version",
    ]


@pytest.mark.parametrize(
    "text", ["name = ", "name = 'x'", "\N{LATIN SMALL LETTER E WITH ACUTE} = 1", "unknown = 1"]
)
def test_what_is_no_contract_is_refused_by_member(text: str, tmp_path: Path) -> None:
    (tmp_path / "contract.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"contract\.toml"):
        read_contract(tmp_path)


def test_an_event_has_the_fields_of_the_contract() -> None:
    assert sorted(Event.__struct_fields__) == sorted(SHIPPED.names)


def _ask_another(folder: Path, sql: bytes) -> None:
    """Another text, under the digest of it, as whoever made the folder says it was reviewed."""
    question = folder / "questions" / "duration"
    before = sha256_hex((question / "query.sql").read_bytes())
    (question / "query.sql").write_bytes(sql)
    _edit(question / "question.toml", before, sha256_hex(sql))


@pytest.mark.proves("E-42")
@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        (b"ATTACH 'made.db' AS made", "SQLite does not carry it out"),
        (b"VACUUM INTO 'made.db'", "SQLite does not carry it out"),
        (b"DELETE FROM rag_retrieval_evaluated_v1", "SQLite does not carry it out"),
        (b"SELECT FROM", "SQLite does not carry it out"),
        (b"SELECT 1 AS evaluated", "gives no column"),
        (b"SELECT '\xff'", "is not UTF-8"),
    ],
)
def test_lint_carries_out_nothing_but_a_query_and_says_what_is_none(
    sql: bytes, rule: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _ask_another(folder, sql)
    found = [one for one in lint_contract(folder, over_events) if "duration" in one.place]
    assert found
    assert all(rule in one.rule for one in found)
    assert not (tmp_path / "made.db").exists()


@pytest.mark.parametrize("content", [b"{", b"\xff", b"{}"])
def test_lint_names_a_case_that_is_none(content: bytes, folder: Path) -> None:
    place = "questions/duration/cases/known.json"
    (folder / place).write_bytes(content)
    found = [one.rule for one in lint_contract(folder, over_events) if one.place == place]
    assert found == ["is not JSON of a case"]
