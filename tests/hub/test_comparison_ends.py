"""Public cases of workers that race, cancellations that meet results, and hubs that start anew."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.cases_runner import load
from tests.hub.case_faults import never_seen
from tests.hub.comparing import CONSUMER, OTHER, Comparing, comparing, refused
from tests.hub.conftest import Hub, only_sqlite

__all__ = ["comparing"]

CALLERS = {"client-1": CONSUMER, "client-2": OTHER}
#: Of as many rounds as the case asks for, one in ten is run; the torture runs all.
SHARE = 10


def test_two_workers_one_job_b_073(comparing: Comparing) -> None:
    workers(comparing, load("B-073"), SHARE)


@pytest.mark.torture
def test_two_workers_one_job_in_every_round_b_073(comparing: Comparing) -> None:
    workers(comparing, load("B-073"), 1)


def workers(comparing: Comparing, case: dict[str, Any], share: int) -> None:
    create, crowd, stranger = case["given"]["steps"]
    expected = case["expected"]
    for number in range(case["given"]["repeat"] // share):
        told = comparing.prepare(f"K{number}", create["as"]).json()
        with ThreadPoolExecutor(crowd["parallel"]) as threads:
            answers = list(
                threads.map(
                    lambda _, one=told: comparing.claim(one, CALLERS[crowd["as"]]),
                    range(crowd["parallel"]),
                )
            )
        other = comparing.claim(told, CALLERS[stranger["as"]])

        statuses = [one.status_code for one in answers]
        assert statuses.count(200) == expected["claims_ok"]
        assert statuses.count(409) == expected["claims_conflict"]
        assert str(other.status_code) in re.findall(r"\d{3}", expected[stranger["as"]])
        assert never_seen(expected, [*statuses, other.status_code])
        tokens = sum("claim_token" in one.text for one in [*answers, other])
        assert tokens == expected["tokens_issued"]
        assert comparing.count("comparison_intent") == number + 1
        [won] = [one.json() for one in answers if one.status_code == 200]
        comparing.finish(won)


# Cancel meets finish -------------------------------------------------------------------------


@only_sqlite
def test_cancel_meets_finish_b_079(comparing: Comparing) -> None:
    case = load("B-079")
    steps, expected = dict(case["given"]["steps"]), case["expected"]
    assert steps.keys() == expected.keys()

    [told] = carried_out(comparing, "a", steps["a"])["cancel"]
    assert told.json()["state"] == expected["a"]

    done = carried_out(comparing, "b", steps["b"])
    assert {
        "state": comparing.state(done["claimed"]["comparison"]),
        "result": "refused" if done["result"].status_code == 409 else "accepted",
    } == expected["b"]
    assert comparing.finish(done["claimed"], "cancelled").json()["state"] == "cancelled"

    done = carried_out(comparing, "c", steps["c"])
    [answer] = done["cancel"]
    assert {
        "cancel": "conflict" if answer.status_code == 409 else "accepted",
        "state": comparing.state(done["claimed"]["comparison"]),
    } == expected["c"]

    done = carried_out(comparing, "e", steps["e"])
    states = [one.json() for one in done["cancel"]]
    often = "once" if states[0] == states[-1] else "twice"
    assert f"{states[-1]['state']} {often}" == expected["e"]
    comparing.finish(done["claimed"], "cancelled")

    meet(comparing, case, SHARE)


@pytest.mark.torture
def test_cancel_meets_finish_in_every_round_b_079(comparing: Comparing) -> None:
    meet(comparing, load("B-079"), 1)


def meet(comparing: Comparing, case: dict[str, Any], share: int) -> None:
    """Lets a result and a cancellation come at the same moment, as often as is asked."""
    steps = dict(case["given"]["steps"])["d"]
    for number in range(case["given"]["repeat_d"] // share):
        done = carried_out(comparing, f"d{number}", steps)
        claimed, result, [cancel] = done["claimed"], done["result"], done["cancel"]
        told = [
            *(["completed"] if result.status_code == 200 else []),
            *(["cancel_requested"] if cancel.status_code == 200 else []),
        ]
        lost = cancel if result.status_code == 200 else result
        codes = {"already_terminal", "version_conflict", "cancellation_requested"}
        is_consistent = told == [comparing.state(claimed["comparison"])] and (
            lost.status_code == 409 and lost.json()["code"] in codes
        )
        assert {
            "terminal_states": len(told),
            "replies_consistent": is_consistent,
        } == case["expected"]["d"]
        if told == ["cancel_requested"]:
            comparing.finish(claimed, "cancelled")


def carried_out(comparing: Comparing, key: str, verbs: list[Any]) -> dict[str, Any]:
    """The claim, the answer to the result and those to cancellations, of verbs in their order."""
    done: dict[str, Any] = {"cancel": []}
    told: dict[str, Any] = {}
    for verb in verbs:
        if verb == "create":
            told = comparing.prepare(key).json()
        elif verb == "claim":
            done["claimed"] = comparing.claim(told).json()
            told = done["claimed"]["comparison"]
        elif verb == "result":
            done["result"] = comparing.publish(done["claimed"], comparing.result(done["claimed"]))
        elif verb == ["result||cancel"]:
            body = comparing.result(done["claimed"])
            with ThreadPoolExecutor(2) as both:
                result = both.submit(comparing.publish, done["claimed"], body)
                cancel = both.submit(comparing.cancel, told)
            done["result"] = result.result()
            done["cancel"].append(cancel.result())
        else:
            assert verb in ("cancel", "cancel(expected_version=old)")
            answer = comparing.cancel(told)
            done["cancel"].append(answer)
            # Who cancels again has seen what came of it, unless it is to come with what is old.
            told = answer.json() if verb == "cancel" else told
    return done


# A hub that starts anew ----------------------------------------------------------------------


@only_sqlite
def test_work_whose_worker_is_gone_b_080(
    comparing: Comparing, open_hub: Callable[..., Hub], database_url: str
) -> None:
    case = load("B-080")
    claimed: Any = None
    found: dict[str, str] = {}
    for step in case["given"]["steps"]:
        comparing.at(step["at"])
        if step["do"] == "claim":
            claimed = comparing.claimed("I1")
        elif step["do"] == "restart_api":
            comparing = restarted(comparing, open_hub, database_url)
            assert comparing.state(claimed["comparison"]) == "running"
        elif step["do"] == "history":
            [old] = comparing.get().json()["items"]
            assert old["id"] == claimed["comparison"]["id"]
            found[str(step["at"])] = f"old intent {old['state']}"
        else:
            status = comparing.prepare(step["name"]).status_code
            found[str(step["at"])] = "accepted" if status == 201 else "refused"

    assert found == case["expected"]
    assert refused(comparing.progress(claimed)) == (410, "claim_interrupted")


def restarted(comparing: Comparing, open_hub: Callable[..., Hub], url: str) -> Comparing:
    """The same after the hub has ended and another one has begun over its database."""
    old = comparing.hub
    old.parts.close()
    hub = open_hub(url, clock=comparing.clock)
    hub.tokens.update(old.tokens)
    return replace(comparing, hub=hub)
