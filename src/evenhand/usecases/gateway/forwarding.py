"""Pass a request for embeddings on to its deployment, and give what came back in the right order.

The one path that is async. It touches no database: who may call which route is decided before
(`targets`), and what happened is kept after it (`requests`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors.gateway import InvalidInput
from evenhand.core.gateway.answer import Answer, Item, check_answer, join
from evenhand.core.gateway.batches import Usage, split, total
from evenhand.core.gateway.call import Reply, Target, answer_limit
from evenhand.core.gateway.failure import Failure, may_retry
from evenhand.core.gateway.inputs import InputKind, Inputs, with_prefix
from evenhand.core.gateway.request import Attempt
from evenhand.usecases.ports import CallAbandoned, Clock, Upstreams
from evenhand.wire.embedding_answers import (
    UpstreamAnswer,
    decode_answer,
    encode_reply,
    may_pass,
)
from evenhand.wire.embeddings import EmbeddingsBody, encode_request

_MILLISECONDS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A request that was read.

    Attributes:
        body: as the client sent it.
        asked: what it says.
        inputs: what it wants embedded.
    """

    body: bytes
    asked: EmbeddingsBody
    inputs: Inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A request's vectors.

    Attributes:
        content: the client's answer.
        usage: as far as it is known.
        zero_vectors: how many are zero throughout.
    """

    content: bytes
    usage: Usage
    zero_vectors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotGiven:
    """Why there are no vectors.

    Attributes:
        failure: of the deployment.
        retry_after: whole seconds after which another request may help; None where not known.
    """

    failure: Failure
    retry_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The answer to one part, checked.

    Attributes:
        reply: as it came.
        read: what a server said; None for an embedder in process.
        answer: its vectors.
    """

    reply: Reply
    read: UpstreamAnswer | None
    answer: Answer


class Forwarding:
    """One request on its way.

    Args:
        upstreams: what answers.
        clock: for durations.
        target: whom the request goes to.
        wanted: the request.
        batch: how many inputs go out together, at least 1; None for all.
        attempts: each call that was made is added here, so that it is known although the client
            leaves before the end.

    Raises:
        InvalidInput: the deployment cannot take this request.
    """

    def __init__(
        self,
        upstreams: Upstreams,
        clock: Clock,
        *,
        target: Target,
        wanted: Wanted,
        batch: int | None,
        attempts: list[Attempt],
    ) -> None:
        self._upstreams = upstreams
        self._clock = clock
        self._target = target
        self._wanted = wanted
        self._parts = split(wanted.inputs.count, batch)
        self._attempts = attempts
        self._require_suitable()

    async def run(self) -> Given | NotGiven:
        """The client's answer, or why there is none."""
        done: list[_Part] = []
        for number, positions in enumerate(self._parts):
            part = await self._ask(number, positions)
            if isinstance(part, NotGiven):
                # Nothing is answered in part.
                return part
            done.append(part)
        answer = join([part.answer for part in done])
        if isinstance(answer, Failure):
            return NotGiven(failure=answer)
        usage = total([Usage() if part.read is None else part.read.usage for part in done])
        return Given(
            content=self._content(done, answer, usage),
            usage=usage,
            zero_vectors=answer.zero_vectors,
        )

    def _require_suitable(self) -> None:
        target, inputs = self._target, self._wanted.inputs
        wanted = self._wanted.asked.dimensions
        # Its rows are evidence for vectors of its own dimension.
        if wanted not in (None, target.dimension):
            raise InvalidInput(_dimension(target.dimension), field="dimensions")
        if inputs.is_text:
            return
        if target.is_in_process:
            raise InvalidInput("token ids are not supported by this deployment")
        if target.prefix(inputs.purpose):
            raise InvalidInput("must be text: this deployment puts an instruction before it")

    async def _ask(self, number: int, positions: range) -> _Part | NotGiven:
        made = 0
        last: NotGiven | None = None
        while True:
            began = self._clock.monotonic()
            try:
                reply = await self._send(positions)
            except CallAbandoned:
                # It may have been carried out, and paid for.
                self._note(number, made, positions, began, failure=Failure.ABANDONED)
                raise
            if not reply.was_called:
                # Of a call that was made and one that was not, the first says more.
                return last or _not_given(reply, reply.failure)
            part = self._checked(reply, positions)
            failure = part if isinstance(part, Failure) else None
            self._note(number, made, positions, began, status=reply.status, failure=failure)
            if isinstance(part, _Part):
                return part
            made += 1
            last = _not_given(reply, failure)
            if not may_retry(part, attempts=made):
                return last

    def _note(
        self,
        part: int,
        number: int,
        positions: range,
        began: float,
        *,
        status: int | None = None,
        failure: Failure | None,
    ) -> None:
        milliseconds = (self._clock.monotonic() - began) * _MILLISECONDS
        self._attempts.append(
            Attempt(
                part=part,
                number=number,
                count=len(positions),
                milliseconds=milliseconds,
                upstream_status=status,
                failure=failure,
            )
        )

    async def _send(self, positions: range) -> Reply:
        target, inputs = self._target, self._wanted.inputs
        if target.is_in_process:
            texts = [inputs.texts[position] for position in positions]
            prefixed = with_prefix(texts, target.prefix(inputs.purpose))
            return await self._upstreams.embed(target, prefixed, inputs.purpose)
        limit = answer_limit(len(positions), target.dimension)
        return await self._upstreams.post(target, self._outgoing(positions), limit=limit)

    def _outgoing(self, positions: range) -> bytes:
        """The client's own bytes where nothing in them has to change."""
        target, wanted = self._target, self._wanted
        prefix = target.prefix(wanted.inputs.purpose)
        is_unchanged = (
            len(self._parts) == 1
            and not prefix
            and wanted.asked.is_plain
            and wanted.asked.model == target.upstream_model
        )
        if is_unchanged:
            return wanted.body
        value = self._value(positions, prefix)
        return encode_request(wanted.asked, value, upstream_model=str(target.upstream_model))

    def _value(self, positions: range, prefix: str) -> list[object] | str:
        inputs = self._wanted.inputs
        if inputs.kind is InputKind.TEXT:
            return prefix + inputs.texts[0]
        if inputs.kind is InputKind.TOKENS:
            return list(inputs.tokens[0])
        if inputs.kind is InputKind.TOKEN_LISTS:
            return [inputs.tokens[position] for position in positions]
        return [prefix + inputs.texts[position] for position in positions]

    def _checked(self, reply: Reply, positions: range) -> _Part | Failure:
        if reply.failure is not None:
            return reply.failure
        read = None
        items: Sequence[Item]
        if reply.vectors is not None:
            items = tuple(enumerate(reply.vectors))
        else:
            decoded = decode_answer(reply.body)
            if isinstance(decoded, Failure):
                return decoded
            read, items = decoded, decoded.items
        answer = check_answer(items, count=len(positions), dimension=self._target.dimension)
        if isinstance(answer, Failure):
            return answer
        return _Part(reply=reply, read=read, answer=answer)

    def _content(self, done: list[_Part], answer: Answer, usage: Usage) -> bytes:
        encoding = self._wanted.asked.encoding
        first = done[0]
        is_safe = not any(part.reply.echoes_secret for part in done)
        if (
            len(done) == 1
            and is_safe
            and first.read is not None
            and may_pass(first.read, answer, encoding=encoding)
        ):
            return first.reply.body
        said = first.read.model if first.read is not None and is_safe else None
        model = said or self._target.served.route_name
        return encode_reply(answer, encoding=encoding, model=model, usage=usage)


def _dimension(dimension: int) -> str:
    return f"this deployment has {dimension} and no other"


def _not_given(reply: Reply, failure: Failure | None) -> NotGiven:
    assert failure is not None  # noqa: S101 -- only asked of a reply without vectors
    return NotGiven(failure=failure, retry_after=reply.retry_after)
