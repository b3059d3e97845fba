"""Whom does the gateway call for a request, and what comes back?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose
from evenhand.core.gateway.request import Served

Vectors: TypeAlias = list[list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The deployment that a route points to, as far as a call needs it.

    Attributes:
        served: what is kept of it.
        deployment_name: what a client is told it by.
        runtime_id: whose connections are used.
        dimension: of its vectors, at least 1.
        base_url: of a server over HTTP; None in process.
        upstream_model: what the server calls the model; None in process.
        secret_env: name of the variable with the server's secret; None where it needs none.
        embedder: name of the embedder in process; None over HTTP.
        query_prefix, document_prefix: put before each text; empty for none.
        max_inputs: how many inputs it takes at a time, at least 1; None where the hub's setting
            decides.
        inputs_per_minute: what the client that asks may send; None for no limit, and for people.
    """

    served: Served
    deployment_name: str
    runtime_id: str
    dimension: int
    base_url: str | None = None
    upstream_model: str | None = None
    secret_env: str | None = None
    embedder: str | None = None
    query_prefix: str = ""
    document_prefix: str = ""
    max_inputs: int | None = None
    inputs_per_minute: int | None = None

    @property
    def is_in_process(self) -> bool:
        """Whether an embedder in this process answers."""
        return self.embedder is not None

    def prefix(self, purpose: Purpose) -> str:
        """What stands before each text of this purpose; empty for nothing."""
        return self.query_prefix if purpose is Purpose.QUERY else self.document_prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A name that a caller may give as a model.

    Attributes:
        name: of a route; for people, who may call those of every project, behind its project's.
        project: name of the project that it belongs to.
        created_at: of the route, aware UTC.
    """

    name: str
    project: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one call came to.

    Attributes:
        failure: why there is nothing to look at; None where there is.
        body: of a server's answer, whole; empty for an embedder and for a failure.
        vectors: of an embedder in process; None for a server and for a failure.
        status: of HTTP, of a server that answered.
        retry_after: whole seconds after which another call may help; None where not known.
        was_called: whether anybody was; not so where its circuit is open or its queue full.
        echoes_secret: whether the body holds the secret that was sent with the call.
    """

    failure: Failure | None = None
    body: bytes = b""
    vectors: Vectors | None = None
    status: int | None = None
    retry_after: int | None = None
    was_called: bool = True
    echoes_secret: bool = False


def answer_limit(count: int, dimension: int) -> int:
    """How many bytes an answer may have: room for each number as JSON writes it at its longest.

    Args:
        count: of vectors, at least 1.
        dimension: of each, at least 1.
    """
    return _FRAME + count * (_ITEM + dimension * _NUMBER)


_FRAME = 64 * 1024
_ITEM = 1024
_NUMBER = 32
