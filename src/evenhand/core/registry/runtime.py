"""What answers, and how is it reached? A runtime: a server of embeddings, or an embedder in here.

The address holds no secret, and of the secret only the name of the variable is kept that a hub
reads it from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.core.errors import InvalidText, InvalidValue
from evenhand.core.identity.labels import require_revision
from evenhand.core.registry.registered import Changeable
from evenhand.core.registry.upstream import Upstream, parse_upstream
from evenhand.core.registry.variables import require_variable

#: As many inputs as one request to the gateway may hold.
MOST_INPUTS: Final = 2048

_EMBEDDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


class RuntimeKind(StrEnum):
    """How a runtime is called."""

    OPENAI_HTTP = "openai_http"
    IN_PROCESS = "in_process"


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime(Changeable):
    """What carries out a model. No other runtime has its name.

    Attributes:
        kind: how it is called.
        identity: label of what runs, such as a server's version or an image's digest; what a
            comparison pins. Never changes.
        base_url: of a server that speaks as OpenAI does, such as ``https://host/v1``; None in
            process. Never changes: another address is another runtime.
        secret_env: name of the environment variable with the server's secret; None where it
            needs none. Never one of Evenhand's own variables. May change.
        embedder: name of the embedder in process; None over HTTP. Never changes.
        max_inputs: how many inputs it takes at a time, from 1 to `MOST_INPUTS`; None where the
            hub's setting decides. May change.

    Raises:
        InvalidLabel: the identity breaks the label rule.
        InvalidUpstream: an address that is none, or that holds a secret.
        InvalidText: a variable or an embedder of another shape, or a variable of Evenhand
            itself; the value is not repeated.
        InvalidValue: a kind with what belongs to the other, or a number out of its range.
    """

    kind: RuntimeKind
    identity: str
    base_url: str | None = None
    secret_env: str | None = None
    embedder: str | None = None
    max_inputs: int | None = None

    def __post_init__(self) -> None:
        Changeable.__post_init__(self)
        require_revision(self.identity, "identity")
        is_http = self.kind is RuntimeKind.OPENAI_HTTP
        if is_http is not (self.base_url is not None):
            raise InvalidValue("base_url", "belongs to openai_http, and to no other kind")
        if is_http is not (self.embedder is None):
            raise InvalidValue("embedder", "belongs to in_process, and to no other kind")
        if self.secret_env is not None and not is_http:
            raise InvalidValue("secret_env", "belongs to openai_http, and to no other kind")
        if self.max_inputs is not None and not 1 <= self.max_inputs <= MOST_INPUTS:
            raise InvalidValue("max_inputs", f"must be from 1 to {MOST_INPUTS}")
        if self.base_url is not None:
            parse_upstream(self.base_url)
        if self.secret_env is not None:
            require_variable(self.secret_env, "secret_env")
        if self.embedder is not None and not _EMBEDDER.fullmatch(self.embedder):
            raise InvalidText("embedder", "must be letters, digits and . _ -, at most 63")

    @property
    def upstream(self) -> Upstream | None:
        """Where it is reached; None in process."""
        return None if self.base_url is None else parse_upstream(self.base_url)
