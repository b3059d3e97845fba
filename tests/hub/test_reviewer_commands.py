"""``evenhand reviews rubric``, ``submit`` and ``run`` as a user types them, against a real hub."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.reviewers.scaffolding import shipped_scaffolding
from evenhand.bootstrap import App
from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk import ReviewClient
from tests.chat_answers import GOOD, chat_answer
from tests.cli.typed import Cli
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.test_reviews import WORKER, Reviews
from tests.upstream_server import Scripted, ScriptedUpstream, serving

pytestmark = [only_sqlite, pytest.mark.parametrize("instances", ["one"], indirect=True)]

CANARY = "quokka-canary"


@pytest.fixture
def reviews(hub: Hub) -> Reviews:
    made = Reviews(hub)
    made.revision_id = made.revision(shipped_scaffolding().rubric.decode())
    return made


@pytest.fixture
def server() -> Iterator[ScriptedUpstream]:
    with serving(chat_answer(GOOD)) as made:
        yield made


@pytest.fixture
def cli(
    reviews: Reviews,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Cli:
    """Commands in a folder with a file of cases, whose hub is the one of this process."""
    monkeypatch.chdir(tmp_path)
    Path("evenhand.toml").touch()
    token = reviews.hub.tokens[WORKER]
    monkeypatch.setenv("EVENHAND_HUB_URL", "http://localhost:1")
    monkeypatch.setenv("EVENHAND_TOKEN", token)
    monkeypatch.setenv("JUDGE_KEY", "key-canary-1")
    transport: Any = reviews.hub.client._transport
    monkeypatch.setattr(
        App,
        "open_review_hub",
        lambda self: ReviewClient("http://testserver", token, transport=transport),
    )
    write_cases(
        {"case_id": "c1", "answer": f"The {CANARY} is 3 m long."},
        {"case_id": "c2", "answer": f"The {CANARY} is 4 m long."},
    )
    return Cli(capsys)


def write_cases(*cases: dict[str, Any]) -> None:
    base = {"question": "How long is it?", "passages": [f"The {CANARY} is 3 m long."]}
    lines = [json.dumps(base | case) for case in cases]
    Path("cases.jsonl").write_text("\n".join(lines), encoding="utf-8")


def run(cli: Cli, reviews: Reviews, *more: str) -> Any:
    cli.run(
        *("reviews", "run", "--inputs", "cases.jsonl", "--practice", "grounded"),
        *("--revision", reviews.revision_id, "--json", *more),
    )
    return json.loads(cli.out) if cli.out else None


def test_a_file_is_submitted_and_judged_by_rules(cli: Cli, reviews: Reviews) -> None:
    submit = ("reviews", "submit", "cases.jsonl", "--subject", "pipeline", "--cohort", "r1")
    assert cli.run(*submit) == 0
    assert cli.out == "submitted: 2\n"
    assert cli.run(*submit) == 0
    done = run(cli, reviews, "--once")
    assert done["counts"] == {"reviewed": 1}
    done = run(cli, reviews)
    assert [one["case_id"] for one in done["reviews"]] == ["c2"]
    assert run(cli, reviews) == {"reviews": [], "counts": {}}
    assert cli.run(*submit) == 0
    assert "2 of them had been begun before" in cli.err
    assert CANARY not in cli.out + cli.err + reviews.hub.log.getvalue()


def test_a_model_judges_and_what_it_used_is_told(
    cli: Cli, reviews: Reviews, server: ScriptedUpstream
) -> None:
    submit = ("reviews", "submit", "cases.jsonl", "--subject", "pipeline")
    assert cli.run(*submit, "--model", "judge-small", "--base-url", server.url) == 0
    answers = iter([chat_answer(GOOD), chat_answer("?")])
    server.answer = lambda _: next(answers)
    done = run(
        cli,
        reviews,
        *("--base-url", server.url, "--api-key-env", "JUDGE_KEY"),
        *("--price-input", "1", "--price-cached", "0.5", "--price-output", "4"),
    )
    assert done["counts"] == {"reviewed": 1, "invalid_output": 1}
    assert done["reviews"][0]["tokens"] == {"input": 80, "cached_input": 20, "output": 30}
    assert server.received[0].headers["authorization"] == "Bearer key-canary-1"
    found = reviews.call("GET", f"reviews/strata?project_id={reviews.project_id}", "operator")
    costs = [one["cost"] for one in found["items"]]
    assert sorted(costs) == ["0.000210", "0.000210"]
    assert "key-canary-1" not in cli.out + cli.err + reviews.hub.log.getvalue()


def test_what_went_wrong_is_in_the_exit_code(
    cli: Cli, reviews: Reviews, server: ScriptedUpstream
) -> None:
    submit = ("reviews", "submit", "cases.jsonl", "--subject", "pipeline")
    assert cli.run(*submit, "--model", "judge-small", "--base-url", server.url) == 0
    server.answer = lambda _: Scripted(status=401, body=CANARY.encode())
    code = cli.run(
        *("reviews", "run", "--inputs", "cases.jsonl", "--practice", "grounded"),
        *("--revision", reviews.revision_id, "--base-url", server.url),
    )
    assert code == 5
    # The second review would have met the same.
    assert len(server.received) == 1
    assert "UPSTREAM_REFUSED" in cli.out
    assert CANARY not in cli.out + cli.err


def test_a_signal_lets_the_review_come_to_its_end(
    cli: Cli, reviews: Reviews, server: ScriptedUpstream
) -> None:
    submit = ("reviews", "submit", "cases.jsonl", "--subject", "pipeline")
    assert cli.run(*submit, "--model", "judge-small", "--base-url", server.url) == 0

    def answer(_: object) -> Scripted:
        signal.raise_signal(signal.SIGTERM)
        return chat_answer(GOOD)

    server.answer = answer
    before = signal.getsignal(signal.SIGTERM)
    done = run(cli, reviews, "--base-url", server.url, "--watch", "3600")
    assert done["counts"] == {"reviewed": 1}
    assert signal.getsignal(signal.SIGTERM) == before


def test_other_prompts_are_read_from_a_folder(cli: Cli, reviews: Reviews) -> None:
    assert cli.run("reviews", "rubric") == 0
    folder = Path("prompts")
    folder.mkdir()
    (folder / "rubric.md").write_text(cli.out + "One more rule.\n", encoding="utf-8")
    (folder / "system.md").write_text("Judge. {rubric}", encoding="utf-8")
    (folder / "answer.schema.json").write_text("{}", encoding="utf-8")
    revisions = {"one": reviews.revision_id, "two": reviews.revision(cli.out + "One more rule.")}
    for again, revision in revisions.items():
        reviews.revision_id = revision
        submit = ("reviews", "submit", "cases.jsonl", "--subject", "p", "--cohort", "r1")
        assert cli.run(*submit, "--again", again) == 0
        run(cli, reviews, *(("--prompts", "prompts") if again == "two" else ()))
    found = reviews.call("GET", f"reviews/strata?project_id={reviews.project_id}", "operator")
    assert len({one["prompt_digest"] for one in found["items"]}) == 2
    (folder / "system.md").write_text("Judge.", encoding="utf-8")
    assert (
        cli.run(
            *("reviews", "run", "--inputs", "cases.jsonl", "--practice", "grounded"),
            *("--revision", reviews.revision_id, "--prompts", "prompts"),
        )
        == 2
    )
    assert "{rubric}" in cli.err


@pytest.mark.parametrize(("watch", "code"), [((), 5), (("--watch", "3600"), 0)])
def test_a_hub_that_is_away_is_asked_again_by_whoever_watches(
    cli: Cli, reviews: Reviews, monkeypatch: pytest.MonkeyPatch, watch: tuple[str, ...], code: int
) -> None:
    def away(self: ReviewClient, **asked: object) -> None:
        # Else the watch would last.
        signal.raise_signal(signal.SIGTERM)
        raise HubUnavailable("there is no connection to it", is_stored=False)

    monkeypatch.setattr(ReviewClient, "claim", away)
    said = cli.run(
        *("reviews", "run", "--inputs", "cases.jsonl", "--practice", "grounded"),
        *("--revision", reviews.revision_id, *watch),
    )
    assert said == code
    assert "hub_unavailable" in cli.err


@pytest.mark.parametrize("typed", ["--subject=", "--cohort=", "--cohort=r\x1b1"])
def test_what_a_submission_cannot_hold_is_named_and_not_repeated(cli: Cli, typed: str) -> None:
    submit = ("reviews", "submit", "cases.jsonl", "--subject", "pipeline", typed)
    assert cli.run(*submit) == 2
    assert cli.err.startswith(("error: subject_id: ", "error: cohort.name: "))
    assert "\x1b" not in cli.err


@pytest.mark.parametrize("typed", ["--worker=", "--revision=", "--practice="])
def test_what_an_attempt_cannot_hold_is_named_and_holds_no_review(
    cli: Cli, reviews: Reviews, typed: str
) -> None:
    assert cli.run("reviews", "submit", "cases.jsonl", "--subject", "pipeline") == 0
    run(cli, reviews, "--once", typed)
    assert "[invalid_value]" in cli.err
    found = reviews.call("GET", f"agent-jobs?project_id={reviews.project_id}", "operator")
    assert {one["state"] for one in found["items"]} == {"queued"}
