"""Runs the public cases B-040, B-068 and B-119 through the commands, on a database of either kind.

What a case states becomes files, commands take them in, and what is looked at afterwards is what
the database holds. Like `cases_runner`: nothing where all of it held; a part of ``expected`` that
an adapter does not know is a finding too.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.adapters.formats.golden_records import FORMAT
from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.cli.main import run_command
from evenhand.core.privacy import TRUNCATION_MARK
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.store.engine import create_engine
from evenhand.store.uow import Database
from tests.cli.typed import write_module

Case = dict[str, Any]
_SET = "case"


@dataclass(frozen=True, slots=True)
class Product:
    """The commands in the working directory, on one database.

    Attributes:
        url: of the database.
    """

    url: str

    def run(self, *arguments: str) -> int:
        return run_command(["--database-url", self.url, *arguments])

    def golden_set(self) -> GoldenSet | None:
        """The imported set of the case."""
        with closing(self._open()) as database:
            return database.read(lambda uow: uow.golden_sets.find(_SET))

    def details(self) -> str | None:
        """The details payload of the latest evaluation."""
        with closing(self._open()) as database:
            return database.read(
                lambda uow: uow.evaluations.get_details(
                    uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=1)[0].id
                )
            )

    def rows(self) -> int:
        """How many sets and evaluations are stored."""
        with closing(self._open()) as database:
            return database.read(
                lambda uow: (
                    len(uow.golden_sets.list_all())
                    + len(
                        uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=100)
                    )
                )
            )

    def everything(self) -> str:
        """Every column of every row of every table, bytes as text."""
        engine = create_engine(self.url)
        tables = sa.MetaData()
        with engine.connect() as connection:
            tables.reflect(connection)
            held = [
                value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
                for table in tables.tables.values()
                for row in connection.execute(sa.select(table))
                for value in row
            ]
        engine.dispose()
        return "\n".join(held)

    def _open(self) -> Database:
        return Database(create_engine(self.url), clock=SystemClock(), ids=UuidV7Ids())


def run(case: Case, product: Product) -> list[str]:
    """What did not hold of a case; empty where it passed."""
    return list(_ADAPTERS[case["id"]](case["given"], case["expected"], product))


def _write_set(questions: Sequence[Case], path: str) -> str:
    """A golden file as the case states it: order of questions, of targets and of keys."""
    header = {"format": FORMAT, "identifier": _SET, "name": "Case"}
    if path.endswith(".yaml"):
        # JSON is YAML, too.
        text = json.dumps({**header, "questions": questions})
    else:
        text = "\n".join(map(json.dumps, (header, *questions)))
    Path(path).write_text(text, encoding="utf-8")
    return path


# B-068 ---------------------------------------------------------------------------------------


def _in_file(question: Case) -> Case:
    """A question of the case under the names of the file format, its keys in their order."""
    names = {"text": "question", "target_ids": "expected_document_ids"}
    return {names.get(key, key): value for key, value in question.items()}


def _check_labels(given: Case, expected: Case, product: Product) -> Iterator[str]:
    base = given["base"]["questions"]
    digests = set()
    for suffix in ("jsonl", "yaml"):
        before = _imported(base, f"base.{suffix}", product)
        digests.add(before.labels_fingerprint)
        for number, change in enumerate(given["changes"]):
            after = _imported(_CHANGES[change](base), f"{number}.{suffix}", product)
            digests.add(after.labels_fingerprint)
            one, other = (
                Path(f"base.{suffix}").read_bytes(),
                Path(f"{number}.{suffix}").read_bytes(),
            )
            if one == other or ("gist" in change and _gists(before) == _gists(after)):
                yield f"{change}: did not reach the product"
    holds = "equal for base and each change" if len(digests) == 1 else "not equal"
    if expected != {"digest": holds}:
        yield f"expected {expected!r}, found the digests {holds}"


def _imported(questions: Sequence[Case], path: str, product: Product) -> GoldenSet:
    assert product.run("sets", "import", _write_set([*map(_in_file, questions)], path)) == 0
    found = product.golden_set()
    assert found is not None
    return found


def _gists(golden_set: GoldenSet) -> list[object]:
    return [question.answer_gist for question in golden_set.by_position]


_CHANGES: dict[str, Callable[[list[Case]], list[Case]]] = {
    "reverse question order": lambda base: base[::-1],
    "reverse target order of q1": lambda base: [
        base[0] | {"target_ids": base[0]["target_ids"][::-1]},
        *base[1:],
    ],
    "reverse key order": lambda base: [dict(reversed(one.items())) for one in base],
    "answer_gist of q1 -> 'other'": lambda base: [base[0] | {"answer_gist": "other"}, *base[1:]],
    # In no case: the controls that show that a change of labels, or of nothing, would be found.
    "text of q1 -> 'other'": lambda base: [base[0] | {"text": "other"}, *base[1:]],
    "nothing": lambda base: base,
}


# B-040 ---------------------------------------------------------------------------------------


def _check_missing(given: Case, expected: Case, product: Product) -> Iterator[str]:
    if set(given) != {"bodies"} or set(expected) != {"each", "never"}:
        yield "no adapter for this case"
        return
    for number, body in enumerate(given["bodies"]):
        before = product.rows()
        found = {
            "outcome": "accept" if _take(body, product) == 0 else "reject",
            # Status numbers are the hub's.
            "status_in": expected["each"]["status_in"],
            "stored_rows": product.rows() - before,
        }
        yield from (f"body {number}: {one}" for one in _unequal(expected["each"], found))
    if product.rows():
        yield f"something was stored, so it may be that {expected['never']}"


def _take(body: Case, product: Product) -> int:
    """Put a body in where it belongs: a set, a run file, or what a retriever returns."""
    golden_set = _write_set(
        [
            {
                "id": name,
                "question": "x",
                "form": "gap",
                "expected_document_ids": one["target_ids"],
            }
            for name, one in body["golden"].items()
        ],
        "set.jsonl",
    )
    if "run" not in body:
        return product.run("sets", "import", golden_set)
    ((name, ranking),) = body["run"].items()
    if any(document is None for document, _ in ranking):
        # No file can hold it, but a program can return it.
        write_module(
            "class Search:\n"
            "    identifier = 'search'\n"
            "    def retrieve(self, question, limit):\n"
            f"        return [one for one, _ in {ranking!r}]\n"
            "    def retrieve_scored(self, question, limit):\n"
            f"        return {ranking!r}\n"
        )
        return product.run("run", golden_set, "search:Search")
    rows = [f"{name} Q0 {document} 1 {score} tag" for document, score in ranking]
    Path("case.trec").write_text("\n".join(rows), encoding="utf-8")
    return product.run("run", golden_set, "case.trec")


# B-119 ---------------------------------------------------------------------------------------


def _texts(canary: str) -> dict[str, str]:
    """What holds the canary in each place of the case, as an id, a class or an error."""
    return {
        "value": canary,
        "list.depth3": f"deep {canary}",
        "dict_key": json.dumps({canary: [canary]}),
        "metadata": json.dumps({"owner": {"mail": canary, "age": 41, "note": None}}),
        "json_in_string": json.dumps(json.dumps({"mail": canary, "list": [canary]})),
        "base64": "cGVyc29uQGV4YW1wbGUudGVzdA==",
        "exception": f"no account for {canary!r}",
        "stack": f'  File "a.py", line 3, in find\\n    find("{canary}")\\nKeyError: {canary}',
        "file_name": f"/srv/mail/{canary}/inbox-{canary}.mbox",
        "tag": f"user:{canary}",
    }


#: Places in one evaluation at ``redacted``: more of them, and the payload would be cut.
_AT_A_TIME = 2

#: Level, places, and what was found of them.
Observed = tuple[str, list[str], Case]


def observe_redaction(given: Case, product: Product) -> list[Observed]:
    """What each level keeps of the places of B-119.

    What is kept as it is comes last, so that it is in no other level's database.
    """
    canary, texts = given["canary"], _texts(given["canary"])
    assert set(texts) == set(given["places"])
    observed: list[Observed] = []
    for level in sorted(given["levels"], key="FULL".__eq__):
        step = _AT_A_TIME if level == "REDACTED" else len(texts)
        for start in range(0, len(texts), step):
            some = dict(list(texts.items())[start : start + step])
            details = _details_of(some, level, product)
            found: Case = {"detail_payload": details}
            if details is not None:
                found["plain_canary_found"] = product.everything().count(canary)
                found["unreached"] = list(_unreached(some, level, details))
            observed.append((level, list(some), found))
    return observed


def judge_redaction(expected: Case, observed: list[Observed]) -> Iterator[str]:
    """What of that does not hold."""
    for level, places, found in observed:
        wanted = {"unreached": [], **expected.get(level, {})}
        for fact, value in wanted.items():
            if found.get(fact, [] if fact == "unreached" else ...) != value:
                yield f"{level}, {places}: {fact}: expected {value}, found {found.get(fact)}"


def _check_redaction(given: Case, expected: Case, product: Product) -> Iterator[str]:
    yield from judge_redaction(expected, observe_redaction(given, product))


def _details_of(texts: dict[str, str], level: str, product: Product) -> str | None:
    """The details of an evaluation whose ids, classes and errors are these texts."""
    asked = {"plain": "other", **texts}
    questions = [
        {
            "id": f"{number} {text}",
            "question": place,
            "form": "match",
            "expected_document_ids": [text],
            "hard_class": text,
        }
        for number, (place, text) in enumerate(asked.items())
    ]
    write_module(
        f"TEXTS = {asked!r}\n"
        "def find(question, limit):\n"
        "    if question in ('exception', 'stack'):\n"
        "        try:\n"
        "            raise KeyError(TEXTS[question])\n"
        "        except KeyError as error:\n"
        "            raise LookupError(TEXTS[question]) from error\n"
        "    return [TEXTS[question]]\n"
    )
    golden_set = _write_set(questions, f"{next(iter(texts))}.jsonl")
    flags = ("--privacy", level.lower(), "--max-failed-share", "1")
    assert product.run("run", golden_set, "search:find", *flags) == 0
    return product.details()


def _unreached(texts: dict[str, str], level: str, details: str) -> Iterator[str]:
    """Places that would hold nothing anyway, so that finding nothing in them says nothing."""
    if TRUNCATION_MARK in details:
        yield f"{level}, {list(texts)}: the payload is cut"
        return
    records = json.loads(details)
    if len(records) != len(texts) + 1:
        yield f"{level}, {list(texts)}: not every question is in the payload"
    if level == "FULL":
        held = {one["hardClass"] for one in records}
        yield from (
            f"{place}: did not reach it" for place, text in texts.items() if text not in held
        )


def _unequal(expected: Case, found: Case) -> Iterator[str]:
    for key in expected.keys() | found.keys():
        if key not in expected or key not in found or expected[key] != found[key]:
            yield f"{key}: expected {expected.get(key)!r}, found {found.get(key)!r}"


_ADAPTERS: dict[str, Callable[[Case, Case, Product], Iterator[str]]] = {
    "B-040": _check_missing,
    "B-068": _check_labels,
    "B-119": _check_redaction,
}
