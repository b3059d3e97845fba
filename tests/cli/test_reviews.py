"""``evenhand reviews`` as a user types it: the trail, the strata, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.review.feedback import FeedbackState
from evenhand.core.review.reaction import Usefulness
from evenhand.store.uow import open_database
from tests.cli.typed import Cli
from tests.review_builders import PROMPT, a_candidate
from tests.usecases.conftest import CountingIds, SettableClock
from tests.usecases.reviews.conftest import World, made_world
from tests.usecases.reviews.test_attempts import SPENT
from tests.usecases.reviews.test_feedback import place, react
from tests.usecases.reviews.test_strata import GOOD

OF_PROJECT = ("--project", "shop")


@pytest.fixture
def world(cli: Cli) -> World:
    """A project in the database of the folder."""
    assert cli.run("reviews", "--help") == 0
    clock = SettableClock()
    url = f"sqlite:///{Path('.evenhand/evenhand.db').resolve()}"
    return made_world(open_database(url, clock=clock, ids=CountingIds()), clock)


def shown(cli: Cli, *words: str) -> list[str]:
    assert cli.run("reviews", *words) == 0
    return cli.out.splitlines()


@pytest.mark.proves("R-35", "R-36", "R-40", "R-42")
def test_the_trail_leads_from_the_configuration_to_what_came_back(cli: Cli, world: World) -> None:
    job = world.review(spent=SPENT, candidates=[a_candidate(), 7])
    one = world.move(world.compose(job), FeedbackState.DELIVERED)
    place(world, one, "comment-1")
    react(world, one, usefulness=Usefulness.USEFUL)

    lines = shown(cli, "show", job.id)

    assert job.snapshot is not None
    places = [lines.index(line) for line in lines if line.strip() in (job.snapshot.sha256, PROMPT)]
    order = [
        next(number for number, line in enumerate(lines) if line.startswith(f"  {word}"))
        for word in (
            "configuration",
            "prompt",
            "inputs",
            "criteria",
            "attempts",
            "observations",
            "refused candidates",
            "feedback",
            "answer accepted",
        )
    ]
    assert len(places) == 2
    assert order == sorted(order)
    text = "\n".join(lines)
    for expected in (
        "judge-small",
        "cost       0.001500  (priced)",
        "2 candidates, 1 refused",
        "absent bad major",
        "1  not_an_object",
        "placement  proven",
        "comment-1",
        "r1: usefulness useful, resolution unknown",
        "answer accepted  unknown",
    ):
        assert expected in text


@pytest.mark.proves("R-44", "R-39")
def test_what_is_not_known_is_shown_as_unknown(cli: Cli, world: World) -> None:
    job = world.submit(case_id=None, cohort=None)
    text = "\n".join(shown(cli, "show", job.id))
    assert text.count("unknown") >= 6
    assert "none was composed" in text
    document = cli.json("reviews", "show", job.id)
    assert (document["accepted"], document["job"]["prompt_digest"]) == (None, None)
    assert document["evidence_snapshot"] is None


def test_the_trail_as_json_holds_every_part(cli: Cli, world: World) -> None:
    job = world.review(spent=SPENT)
    world.compose(job)
    document: dict[str, Any] = cli.json("reviews", "show", job.id)
    assert document["usage"][0]["cost"] == "0.001500"
    assert [one["to_state"] for one in document["transitions"]] == [
        "queued",
        "running",
        "completed",
    ]
    assert document["attempts"][0]["candidates"]["persisted"] == 1
    assert document["feedback"][0]["placement_evidence"] == "none"
    assert document["practice_revisions"][0]["id"] == world.revision.id


@pytest.mark.proves("R-25", "R-26", "G-26")
def test_strata_are_counted_one_by_one_and_never_merged(cli: Cli, world: World) -> None:
    for good in (True, False):
        config = {"temperature": int(good)}
        for case in ("c1", "c2"):
            found = [GOOD] if good else None
            world.review(case_id=case, config=config, candidates=found, spent=SPENT)
    world.review(cohort=None)

    lines = shown(cli, "strata", *OF_PROJECT)
    one, two = (line.split()[1] for line in lines if line.startswith("stratum "))
    assert "rows: 5; strata: 2" in lines
    assert "in no stratum: cohort unknown 1" in lines
    assert lines.count("  cost           0.003000  (priced 2)") == 2

    assert cli.run("reviews", "rates", one, two, *OF_PROJECT) == 2
    assert "strata_not_merged" in cli.err
    assert cli.run("reviews", "rates", one, "--against", one, "--against", two, *OF_PROJECT) == 2
    assert "strata_not_merged" in cli.err

    paired = shown(cli, "rates", one, "--against", two, *OF_PROJECT)
    assert "verdict: comparable" in paired
    delta = cli.json("reviews", "rates", one, "--against", two, *OF_PROJECT)["paired"]["delta"]
    assert abs(delta) == 1.0
    assert [line for line in paired if "95 % interval" in line]


def test_a_stratum_or_review_that_is_not_there_is_named_as_such(cli: Cli, world: World) -> None:
    assert world.project_id
    assert cli.run("reviews", "rates", "0" * 64, *OF_PROJECT) == 2
    assert "stratum_not_found" in cli.err
    assert cli.run("reviews", "show", "nothing") == 2
    assert "agent_job_not_found" in cli.err
    assert cli.run("reviews", "strata", "--project", "other") == 2
    assert cli.run("reviews", "strata", *OF_PROJECT) == 0
    assert "no review of this project has ended yet" in cli.err


@pytest.mark.proves("R-26")
def test_strata_of_other_cases_get_the_reason_instead_of_a_delta(cli: Cli, world: World) -> None:
    world.review(cohort="one")
    world.review(cohort="two")
    listed = cli.json("reviews", "strata", *OF_PROJECT)["items"]
    one, two = (item["stratum"] for item in listed)
    lines = shown(cli, "rates", one, "--against", two, *OF_PROJECT)
    assert "verdict: mismatch" in lines
    assert "  The reviews are of different cases." in lines
    assert not [line for line in lines if "delta" in line]


def write_labels(world: World, *labels: tuple[str, str]) -> None:
    """Labels of one person, in the file of the folder."""
    lines = [
        {
            "case_id": case,
            "practice_revision_id": world.revision.id,
            "label": label,
            "labeller": "p1",
            "labelled_at": "2026-09-01T10:00:00Z",
        }
        for case, label in labels
    ]
    Path("labels.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_agreement_with_people_is_that_of_one_stratum(cli: Cli, world: World) -> None:
    for case, good in (("c1", True), ("c2", False), ("c3", True)):
        world.review(case_id=case, candidates=[GOOD] if good else None)
    world.review(case_id="c1", config={"temperature": 1})
    write_labels(world, ("c1", "good"), ("c2", "bad"), ("c3", "bad"), ("c9", "good"))
    items = cli.json("reviews", "strata", *OF_PROJECT)["items"]
    one, two = (item["stratum"] for item in sorted(items, key=lambda item: -item["good"]["total"]))
    words = ("agreement", one, "--labels", "labels.jsonl", *OF_PROJECT)

    found = cli.json("reviews", *words)
    assert (found["n"], found["labelled_by_one_only"], found["is_enough"]) == (3, 1, False)
    assert found["raw_agreement"] == pytest.approx(2 / 3)
    # Chance: 2/3 * 1/3 + 1/3 * 2/3 = 4/9; (6/9 - 4/9) / (5/9) = 0.4.
    assert found["kappa"] == pytest.approx(0.4)
    lines = shown(cli, *words)
    assert "  kappa                   0.400" in lines
    assert "too few to rest anything on" in lines[-1]
    both = ("agreement", one, two, "--labels", "labels.jsonl", *OF_PROJECT)
    assert cli.run("reviews", *both) == 2
    assert "strata_not_merged" in cli.err
    # A comparison with a file records nothing.
    assert cli.json("reviews", "strata", *OF_PROJECT)["items"][0]["grounding"]["agreement"] is None


def test_what_is_recorded_is_shown_with_every_count(cli: Cli, world: World) -> None:
    for case in ("c1", "c2"):
        world.review(case_id=case, candidates=[GOOD])
    write_labels(world, ("c1", "good"), ("c2", "bad"))
    (item,) = cli.json("reviews", "strata", *OF_PROJECT)["items"]
    assert item["grounding"]["refusal"] == "no_agreement"
    agreement = ("agreement", item["stratum"], *OF_PROJECT)
    assert cli.run("reviews", *agreement) == 2
    assert "nobody labelled" in cli.err

    stored = cli.json("reviews", "labels", "labels.jsonl", "--cohort", "release-1", *OF_PROJECT)
    assert stored == {"stored": 2, "known": 0}
    again = shown(cli, "labels", "labels.jsonl", "--cohort", "release-1", *OF_PROJECT)
    assert again == ["0 labels stored, 2 were there already"]
    recorded = cli.json("reviews", *agreement)
    assert (recorded["n"], recorded["raw_agreement"], recorded["kappa"]) == (2, 0.5, 0.0)
    assert cli.json("reviews", *agreement)["id"] == recorded["id"]
    assert "recorded before" in cli.err

    lines = "\n".join(shown(cli, "rates", item["stratum"], *OF_PROJECT))
    assert "grounded       no: too few labels" in lines
    assert "agreement    n 2, raw 0.500, kappa 0.000" in lines
    waived = cli.json("reviews", "waive", world.revision.id, "--reason", "a trial")
    assert waived["made_by"] == {"kind": "command_line", "id": None}
    text = "\n".join(shown(cli, "strata", *OF_PROJECT))
    assert re.search(r"grounded {7}waived by command line, [-0-9: ]+ UTC: a trial\n", text)
    assert "agreement    n 2, raw 0.500" in text


def test_labels_for_criteria_of_another_project_are_refused_and_none_is_stored(
    cli: Cli, world: World
) -> None:
    write_labels(world, ("c1", "good"))
    assert cli.run("admin", "project", "create", "other") == 0
    words = ("labels", "labels.jsonl", "--cohort", "release-1", "--project")
    assert cli.run("reviews", *words, "other") == 2
    assert "labels.jsonl, line 1: practice_revision_id is of no practice of this" in cli.err
    assert cli.json("reviews", *words, "shop") == {"stored": 1, "known": 0}


def test_a_label_that_contradicts_a_stored_one_is_named_by_its_line(
    cli: Cli, world: World
) -> None:
    words = ("labels", "labels.jsonl", "--cohort", "release-1", *OF_PROJECT)
    write_labels(world, ("c1", "good"))
    assert cli.run("reviews", *words) == 0
    write_labels(world, ("c2", "good"), ("c1", "bad"))
    assert cli.run("reviews", *words) == 2
    assert "labels.jsonl, line 2: the labeller has said something else" in cli.err
    write_labels(world, ("c2", "good"))
    assert cli.json("reviews", *words) == {"stored": 1, "known": 0}


def test_reviews_are_deleted_only_after_a_word(cli: Cli, world: World) -> None:
    world.review()
    assert cli.run("reviews", "purge") == 2
    assert "--yes does not ask" in cli.err
    assert cli.run("reviews", "delete", "shop") == 2
    assert cli.json("reviews", "purge", "--yes", "--older-than", "999999") == {"deleted": 0}
    assert len(cli.json("reviews", "strata", *OF_PROJECT)["items"]) == 1
    assert shown(cli, "delete", "shop", "--yes") == ["1 reviews deleted"]
    assert cli.json("reviews", "strata", *OF_PROJECT)["items"] == []
    assert cli.run("reviews", "delete", "nobody", "--yes") == 2
    assert "project_not_found" in cli.err
