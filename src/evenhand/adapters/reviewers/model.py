"""Who judges grounding with a model? A chat endpoint that is told to answer by a schema.

What the model is shown is one JSON object, so that no text of a passage can end where the data
end. What it answers is handed on as it is: each candidate is kept or refused by the hub, and an
answer that holds none is unreadable output. Nothing is guessed, mended or asked for twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from evenhand.adapters.formats.strict_json import decode_value
from evenhand.adapters.reviewers.chat import ChatEndpoint, Missing, NoReply, Reply
from evenhand.adapters.reviewers.scaffolding import Scaffolding
from evenhand.core.errors import InvalidFile
from evenhand.core.review.review_case import ANSWER, PASSAGES, QUESTION
from evenhand.core.review.reviewer import COMMON_MEMBERS, Found, NoOutput, Used
from evenhand.core.review.usage import Rates, Tokens

#: What the configuration of such a review says.
PROTOCOL: Final = "openai-chat"
#: How the answer's form is asked for: by a schema, and in words where a server knows no schema.
BY_SCHEMA: Final = "json_schema_or_text"
BY_TEXT: Final = "text"
#: Members of a configuration that this reviewer goes by, beside those every configuration has.
_OWN: Final = frozenset({"baseUrl", "temperature", "seed", "maxOutputTokens", "responseFormat"})
#: Tries of one call, and seconds before the second and the third.
_WAITS: Final = (1.0, 4.0)
LONGEST_WAIT: Final = 60.0
_MOST_CANDIDATES: Final = 100
#: Levels of an output; no candidate needs as many, and a hub reads no more than twice as many.
_MOST_LEVELS: Final = 16
#: Seconds of an attempt that are kept for telling how it ended, at most, and as a share.
_MARGIN: Final = 5.0
_MARGIN_SHARE: Final = 0.1


@dataclass(slots=True)
class _Meter:
    """Calls and tokens of one review; unknown as soon as one call's are."""

    calls: int = 0
    told: list[Tokens] = field(default_factory=list)
    is_known: bool = True

    def count(self, reply: Reply | NoReply) -> None:
        self.calls += 1
        if isinstance(reply, Reply):
            self.is_known = self.is_known and reply.tokens.is_known
            self.told.append(reply.tokens)
        elif reply.why in (Missing.TIMED_OUT, Missing.UNREACHABLE):
            # It may have been carried out and charged.
            self.is_known = False

    def used(self, rates: Rates | None) -> Used:
        tokens = _added(self.told) if self.is_known else Tokens()
        return Used(calls=self.calls, tokens=tokens, rates=rates)


class ModelReviewer:
    """A model as reviewer; implements `core.review.reviewer.Reviewer`.

    Args:
        endpoint: who is asked.
        scaffolding: the prompt.
        practice: name of the practice that it judges.
        rates: prices of a million tokens; None where they are unknown.
        call_seconds: how long one call may take, above 0.
        clock: seconds, for what is left of an attempt.
        pause: waits so many seconds before a call is tried again.
    """

    def __init__(  # noqa: PLR0913 -- its parts, by keyword
        self,
        endpoint: ChatEndpoint,
        scaffolding: Scaffolding,
        *,
        practice: str,
        rates: Rates | None,
        pause: Callable[[float], object],
        call_seconds: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = endpoint
        self._scaffolding = scaffolding
        self._practice = practice
        self._rates = rates
        self._call_seconds = call_seconds
        self._clock = clock
        self._pause = pause
        self._takes_schema = True

    @property
    def scaffolding(self) -> Sequence[tuple[str, bytes]]:
        """The rubric, the prompt and the schema."""
        return self._scaffolding.files

    def carries_out(self, config: Mapping[str, Any]) -> bool:
        """Whether a configuration names this endpoint, and nothing that is not gone by here.

        A member that is not known could be sampling: it would be in the identity of the behaviour
        and not in the behaviour.
        """
        return (
            config.get("apiProtocol") == PROTOCOL
            and config.get("baseUrl") == self._endpoint.url
            and config.get("responseFormat", BY_SCHEMA) in (BY_SCHEMA, BY_TEXT)
            and config.keys() <= COMMON_MEMBERS | _OWN
        )

    def review(
        self, staged: Mapping[str, bytes], config: Mapping[str, Any], *, seconds: float
    ) -> Found | NoOutput:
        """What the model says, or why it says nothing."""
        until = self._clock() + seconds - min(_MARGIN, _MARGIN_SHARE * seconds)
        meter = _Meter()
        reply = self._reply(staged, config, until, meter)
        used = meter.used(self._rates)
        if isinstance(reply, NoReply):
            is_refusal = not reply.why.may_pass
            return NoOutput(error_class=reply.why.value, used=used, is_refusal=is_refusal)
        return Found(candidates=self._candidates(reply.content), used=used)

    def _reply(
        self, staged: Mapping[str, bytes], config: Mapping[str, Any], until: float, meter: _Meter
    ) -> Reply | NoReply:
        by_schema = self._takes_schema and config.get("responseFormat", BY_SCHEMA) == BY_SCHEMA
        reply = self._tried(self._body(staged, config, by_schema=by_schema), until, meter)
        is_unknown = isinstance(reply, NoReply) and reply.why is Missing.NOT_UNDERSTOOD
        if not (by_schema and is_unknown):
            return reply
        plain = self._tried(self._body(staged, config, by_schema=False), until, meter)
        # Remembered only where the other form was taken: the call itself may have been wrong.
        self._takes_schema = not isinstance(plain, Reply)
        return plain

    def _tried(self, body: bytes, until: float, meter: _Meter) -> Reply | NoReply:
        reply: Reply | NoReply = NoReply(why=Missing.TIMED_OUT)
        for wait in (*_WAITS, None):
            left = until - self._clock()
            if left <= 0:
                return reply
            reply = self._endpoint.ask(body, seconds=min(left, self._call_seconds))
            meter.count(reply)
            if isinstance(reply, Reply) or not reply.why.may_pass or wait is None:
                return reply
            pause = min(max(wait, reply.retry_after or 0), LONGEST_WAIT)
            if self._clock() + pause >= until:
                return reply
            self._pause(pause)
        return reply

    def _body(
        self, staged: Mapping[str, bytes], config: Mapping[str, Any], *, by_schema: bool
    ) -> bytes:
        body: dict[str, object] = {
            "model": config["upstreamModelId"],
            "messages": [
                {"role": "system", "content": self._scaffolding.prompt},
                {"role": "user", "content": _material(staged)},
            ],
            "n": 1,
            "stream": False,
        }
        for member, name in _SAMPLING.items():
            if member in config:
                body[name] = config[member]
        if by_schema:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "review",
                    "strict": True,
                    "schema": self._scaffolding.shape,
                },
            }
        return msgspec.json.encode(body)

    def _candidates(self, content: str | None) -> list[object] | None:
        """The candidates of an output as they are, None for one that holds none."""
        if content is None:
            return None
        try:
            output = decode_value(content.encode(), "output", None)
        except (InvalidFile, UnicodeEncodeError):
            return None
        if not isinstance(output, dict) or output.keys() != {"observations"}:
            return None
        if _is_deeper(output, _MOST_LEVELS) or any(
            map(self._endpoint.is_repeated, _texts(output))
        ):
            return None
        found = output["observations"]
        if not isinstance(found, list) or not 1 <= len(found) <= _MOST_CANDIDATES:
            return None
        # Which practice is judged is the worker's to say; a model that says another is refused.
        return [
            {"practice": self._practice, **one} if isinstance(one, dict) else one for one in found
        ]


#: What a configuration calls it, and what the endpoint does.
_SAMPLING: Final = {
    "temperature": "temperature",
    "seed": "seed",
    "maxOutputTokens": "max_tokens",
}


def _material(staged: Mapping[str, bytes]) -> str:
    texts = {path: content.decode("utf-8", "replace") for path, content in staged.items()}
    passages = sorted(path for path in texts if path.startswith(f"{PASSAGES}/"))
    return msgspec.json.encode(
        {
            "question": texts[QUESTION],
            "answer": texts[ANSWER],
            "passages": [{"path": path, "text": texts[path]} for path in passages],
        }
    ).decode()


def _is_deeper(value: object, levels: int) -> bool:
    """Whether a decoded value has more levels than so many."""
    if not isinstance(value, dict | list):
        return False
    return levels == 0 or any(_is_deeper(one, levels - 1) for one in _inside(value))


def _texts(value: object) -> Iterator[str]:
    """Every text of a decoded value, names of members as well."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        if isinstance(value, dict):
            yield from value
        for one in _inside(value):
            yield from _texts(one)


def _inside(value: dict[str, object] | list[object]) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value


def _added(told: Sequence[Tokens]) -> Tokens:
    """Per bucket the sum of what was told; a bucket that nobody told is unknown."""
    buckets = [
        [count for count in bucket if count is not None]
        for bucket in zip(*(one.buckets for one in told), strict=True)
    ]
    sums = [sum(bucket) if bucket else None for bucket in buckets] or [None, None, None]
    return Tokens(input=sums[0], cached_input=sums[1], output=sums[2])
