"""At which addresses do the pages lie? Every link of the console is made here."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, urlencode

#: Everything of the console lies below; also on a hub, beside its API.
ROOT: Final = "/console"
STATIC: Final = f"{ROOT}/static"
OVERVIEW: Final = f"{ROOT}/"
SETS: Final = f"{ROOT}/sets"
EVALUATIONS: Final = f"{ROOT}/evaluations"
COMPARE: Final = f"{ROOT}/compare"
GATEWAY_REQUESTS: Final = f"{ROOT}/gateway-requests"
REVIEWS: Final = f"{ROOT}/reviews"
STRATA: Final = f"{ROOT}/review-strata"
EVENTS: Final = f"{ROOT}/events"
QUESTIONS: Final = f"{ROOT}/event-questions"
AUDIT: Final = f"{ROOT}/audit"
INTENTS: Final = f"{ROOT}/comparisons"
INTENTS_NEW: Final = f"{INTENTS}/new"
DEPLOYMENTS: Final = f"{ROOT}/deployments"
MODEL_ROUTES: Final = f"{ROOT}/routes"
SIGN_IN: Final = f"{ROOT}/sign-in"
SIGN_OUT: Final = f"{ROOT}/sign-out"
#: Where a ticket of the terminal lets somebody in.
ENTER: Final = f"{ROOT}/enter"


def with_query(path: str, **query: str | int | None) -> str:
    """A path with its query; what is None or empty is left out.

    Args:
        path: escaped already.
        query: name → value, escaped here.
    """
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def below(path: str, *names: str) -> str:
    """A path with names appended, each as one segment whatever it holds."""
    return "/".join((path.rstrip("/"), *(quote(name, safe="") for name in names)))


def evaluation_address(evaluation_id: str) -> str:
    """The page of one evaluation."""
    return below(EVALUATIONS, evaluation_id)


def questions_address(evaluation_id: str) -> str:
    """The questions of one evaluation."""
    return below(EVALUATIONS, evaluation_id, "questions")


def benchmark_address(fingerprint: str) -> str:
    """The evaluations that state one benchmark."""
    return with_query(EVALUATIONS, benchmark=fingerprint)


def set_address(identifier: str) -> str:
    """The page of one golden set."""
    return below(SETS, identifier)


def questions_csv_address(evaluation_id: str) -> str:
    """The same as CSV."""
    return below(EVALUATIONS, evaluation_id, "questions.csv")


def flips_csv_address(current: str, candidate: str) -> str:
    """Questions won and lost between two stored evaluations, as CSV."""
    return with_query(f"{COMPARE}.csv", current=current, candidate=candidate)


def compare_address(current: str | None, candidate: str) -> str:
    """The page that compares two stored evaluations, or proposes what to compare one with.

    Args:
        current: id of an evaluation, or ``baseline``; None where it is still to be chosen.
        candidate: id of an evaluation.
    """
    return with_query(COMPARE, current=current, candidate=candidate)


def gateway_request_address(public_id: str) -> str:
    """The page of one request to the gateway."""
    return below(GATEWAY_REQUESTS, public_id)


def review_address(job_id: str) -> str:
    """The trail of one review."""
    return below(REVIEWS, job_id)


def question_address(name: str) -> str:
    """The page of the answer to a trusted question."""
    return below(QUESTIONS, name)


def intent_address(intent_id: str) -> str:
    """The page of one comparison of deployments."""
    return below(INTENTS, intent_id)


def deployment_address(deployment_id: str) -> str:
    """The page of one deployment."""
    return below(DEPLOYMENTS, deployment_id)


def route_address(route_id: str) -> str:
    """The page of one route."""
    return below(MODEL_ROUTES, route_id)


def binding_routes_address(binding_id: str) -> str:
    """The routes of one binding."""
    return with_query(MODEL_ROUTES, binding=binding_id)


def enter_address(ticket: str) -> str:
    """Where a ticket lets somebody in, once."""
    return with_query(ENTER, ticket=ticket)
