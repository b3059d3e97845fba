"""Make, list, rotate and revoke tokens over HTTP; for operators."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases import access
from evenhand.wire import credentials as wire
from evenhand.wire.paging import Page

_PATH = f"{API}/credentials"


def list_credentials(
    request: Request, query: Annotated[wire.CredentialsQuery, Query()]
) -> Page[wire.Credential]:
    """Newest first; those in force, or all."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: access.list_credentials(
            uow, with_ended=query.with_ended, limit=query.limit + 1, after=after
        )
    )
    return page_of(found, query.limit, wire.credential_to_wire)


def create(
    request: Request, response: Response, body: wire.NewCredential
) -> wire.IssuedCredential:
    """A new token; it is shown this once."""
    parts, actor = parts_of(request), principal_of(request).actor
    issued = parts.database.run(
        lambda uow: access.create(
            uow,
            name=body.name,
            role=body.core_role,
            client_id=body.client_id,
            actor=actor,
            ids=parts.ids,
            secrets=parts.secrets,
        )
    )
    return _shown_once(issued, response)


def rotate(request: Request, response: Response, credential_id: str) -> wire.IssuedCredential:
    """A new token of the same name and role; the old one ends at once."""
    parts, actor = parts_of(request), principal_of(request).actor
    issued = parts.database.run(
        lambda uow: access.rotate(
            uow, credential_id, actor=actor, ids=parts.ids, secrets=parts.secrets
        )
    )
    return _shown_once(issued, response)


def revoke(request: Request, credential_id: str) -> wire.Credential:
    """End a token for good."""
    parts, actor = parts_of(request), principal_of(request).actor
    ended = parts.database.run(
        lambda uow: access.revoke(uow, credential_id, actor=actor, ids=parts.ids)
    )
    return wire.credential_to_wire(ended)


def _shown_once(issued: access.Issued, response: Response) -> wire.IssuedCredential:
    response.headers["Cache-Control"] = "no-store"
    return wire.IssuedCredential(
        credential=wire.credential_to_wire(issued.credential), token=issued.token
    )


ENTRIES = (
    Entry(
        method="GET",
        path=_PATH,
        endpoint=list_credentials,
        action=Action.ADMINISTER,
        summary="List credentials",
        problems=(422,),
    ),
    Entry(
        method="POST",
        path=_PATH,
        endpoint=create,
        action=Action.ADMINISTER,
        summary="Make a token",
        body=Body.OBJECT,
        status=CREATED,
        problems=(409,),
    ),
    Entry(
        method="POST",
        path=f"{_PATH}/{{credential_id}}/rotate",
        endpoint=rotate,
        action=Action.ADMINISTER,
        summary="Rotate a token",
        body=Body.EMPTY,
        problems=(404, 409),
    ),
    Entry(
        method="POST",
        path=f"{_PATH}/{{credential_id}}/revoke",
        endpoint=revoke,
        action=Action.ADMINISTER,
        summary="Revoke a token",
        body=Body.EMPTY,
        problems=(404, 409),
    ),
)
