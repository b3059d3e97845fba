"""What happened at the gateway: one row a request, one a call of an upstream; no text of either.

Both are append-only. A row is written when its request has ended, so nothing of it ever changes.
Beside them stands what a client with a limit may still ask, which is overwritten.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_STATES: Final = "'completed', 'refused', 'failed', 'aborted'"
_KINDS: Final = "'text', 'texts', 'tokens', 'token_lists'"
#: Of the few requests that somebody looks for when something is wrong.
_NOT_COMPLETED: Final = sa.text("state <> 'completed'")

gateway_request: Final = sa.Table(
    "gateway_request",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    # What the client is told, and what proves the request; unrelated to the id.
    sa.Column("public_id", SORTED_TEXT, nullable=False),
    sa.Column("capability", SORTED_TEXT, nullable=False),
    sa.Column("credential_id", SORTED_TEXT, nullable=False),
    sa.Column("client_id", SORTED_TEXT),
    sa.Column("project_id", SORTED_TEXT),
    sa.Column("binding_id", SORTED_TEXT),
    sa.Column("route_id", SORTED_TEXT),
    sa.Column("deployment_id", SORTED_TEXT),
    sa.Column("input_kind", SORTED_TEXT),
    sa.Column("input_count", sa.Integer),
    sa.Column("input_bytes", sa.BigInteger),
    sa.Column("purpose", SORTED_TEXT),
    sa.Column("query_digest", SORTED_TEXT),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("http_status", sa.Integer),
    sa.Column("error_code", SORTED_TEXT),
    sa.Column("prompt_tokens", sa.BigInteger),
    sa.Column("zero_vectors", sa.Integer, nullable=False),
    sa.Column("from_cache", sa.Boolean, nullable=False),
    sa.Column("from_fallback", sa.Boolean, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("completed_at", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("public_id"),
    sa.ForeignKeyConstraint(["credential_id"], ["credential.id"]),
    sa.ForeignKeyConstraint(["client_id"], ["service_client.id"]),
    # A route and a deployment of two projects would be no evidence of anything.
    sa.ForeignKeyConstraint(["binding_id", "project_id"], ["binding.id", "binding.project_id"]),
    sa.ForeignKeyConstraint(["route_id", "project_id"], ["route.id", "route.project_id"]),
    sa.ForeignKeyConstraint(
        ["deployment_id", "project_id"], ["deployment.id", "deployment.project_id"]
    ),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(
        "length(public_id) = 36 AND substr(public_id, 1, 4) = 'req_'", name="public_id"
    ),
    sa.CheckConstraint("length(capability) >= 1 AND length(capability) <= 64", name="capability"),
    sa.CheckConstraint(
        "(route_id IS NULL) = (deployment_id IS NULL)"
        " AND (route_id IS NULL) = (binding_id IS NULL)"
        " AND (route_id IS NULL OR project_id IS NOT NULL)"
        " AND (client_id IS NULL OR project_id IS NOT NULL)",
        name="served",
    ),
    sa.CheckConstraint(
        f"(input_kind IS NULL OR input_kind IN ({_KINDS}))"
        " AND (input_kind IS NULL) = (input_count IS NULL)"
        " AND (input_kind IS NULL) = (purpose IS NULL)"
        " AND (purpose IS NULL OR purpose IN ('query', 'document'))"
        " AND (input_count IS NULL OR input_count >= 1)"
        " AND (input_bytes IS NULL OR input_bytes >= 1)",
        name="input",
    ),
    # Only one text that is a query can be evidence for one (C-77, settled 23).
    sa.CheckConstraint(
        "query_digest IS NULL OR (length(query_digest) = 64 AND input_count = 1"
        " AND purpose = 'query' AND input_kind IN ('text', 'texts'))",
        name="query_digest",
    ),
    sa.CheckConstraint(
        f"state IN ({_STATES}) AND (state = 'completed') = (error_code IS NULL)"
        " AND (state = 'aborted') = (http_status IS NULL)"
        " AND (state <> 'completed' OR (route_id IS NOT NULL AND input_kind IS NOT NULL))"
        " AND (error_code IS NULL OR (length(error_code) >= 1 AND length(error_code) <= 64))",
        name="state",
    ),
    sa.CheckConstraint(
        "(prompt_tokens IS NULL OR prompt_tokens >= 0) AND zero_vectors >= 0"
        " AND (http_status IS NULL OR (http_status >= 200 AND http_status <= 599))",
        name="numbers",
    ),
    sa.CheckConstraint(
        is_time("created_at", "completed_at") + " AND created_at <= completed_at", name="times"
    ),
    sa.Index("ix_gateway_request_time", "created_at", "id"),
    sa.Index("ix_gateway_request_client", "client_id", "created_at", "id"),
    sa.Index("ix_gateway_request_deployment", "deployment_id", "created_at", "id"),
    sa.Index(
        "ix_gateway_request_not_completed",
        "state",
        "created_at",
        "id",
        sqlite_where=_NOT_COMPLETED,
        postgresql_where=_NOT_COMPLETED,
    ),
    info=about(
        "One request that ended at the gateway, answered or not; no text.",
        public_id="What the caller is told, req_ and 32 hex digits.",
        capability="Name and version of the capability that was used.",
        credential_id="The credential that was shown.",
        client_id="The service client whose it is; missing for people.",
        binding_id="The binding; missing where no route served it.",
        route_id="The route; missing where none served it.",
        deployment_id="The deployment; missing where none served it.",
        input_kind="text, texts, tokens or token_lists; missing where the body was refused.",
        input_count="How many inputs there were.",
        input_bytes="How long they were together.",
        purpose="query or document.",
        query_digest="Digest of the one query (json-ascii-v1); missing for anything else.",
        state="completed, refused, failed or aborted.",
        http_status="What the caller was answered; missing where nobody was there any more.",
        error_code="Why it did not complete.",
        prompt_tokens="What the upstream counted; missing: it told nothing.",
        zero_vectors="How many vectors were all zero.",
        from_cache="Whether the answer came out of a cache.",
        from_fallback="Whether another deployment answered.",
        completed_at="When it ended.",
    ),
)

gateway_attempt: Final = sa.Table(
    "gateway_attempt",
    metadata,
    sa.Column("request_id", SORTED_TEXT, nullable=False),
    sa.Column("part", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("input_count", sa.Integer, nullable=False),
    sa.Column("milliseconds", sa.Double, nullable=False),
    sa.Column("upstream_status", sa.Integer),
    sa.Column("failure", SORTED_TEXT),
    sa.PrimaryKeyConstraint("request_id", "part", "number"),
    sa.ForeignKeyConstraint(["request_id"], ["gateway_request.id"]),
    sa.CheckConstraint("part >= 0 AND number >= 0 AND input_count >= 1", name="place"),
    sa.CheckConstraint(
        "milliseconds >= 0 AND (upstream_status IS NULL"
        " OR (upstream_status >= 100 AND upstream_status <= 999))",
        name="numbers",
    ),
    sa.CheckConstraint(
        "failure IS NULL OR (length(failure) >= 1 AND length(failure) <= 64)", name="failure"
    ),
    info=about(
        "One call of an upstream for a request.",
        request_id="The request.",
        part="Which part of its inputs, from 0.",
        number="Which try, from 0.",
        input_count="How many inputs it held.",
        milliseconds="How long it took.",
        upstream_status="What the upstream answered; missing: nothing.",
        failure="Why it failed; missing: it did not.",
    ),
)

gateway_allowance: Final = sa.Table(
    "gateway_allowance",
    metadata,
    sa.Column("client_id", SORTED_TEXT, primary_key=True),
    sa.Column("full_at", SORTED_TEXT),
    sa.ForeignKeyConstraint(["client_id"], ["service_client.id"]),
    sa.CheckConstraint(is_time("full_at"), name="full_at"),
    info=about(
        "How much a client that has a limit may still ask.",
        stays="it counts for a minute",
        client_id="The service client.",
        full_at="When it may ask as much as in a whole minute; missing: it has asked nothing.",
    ),
)
