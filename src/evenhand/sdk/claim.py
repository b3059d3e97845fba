"""How does a program hold a claim until it has published a result, or said that there is none?

A thread renews the lease at a third of it and hears whether the operator wants the work to end.
The work asks `ClaimSession.require_open` before each piece, and ends where that raises. Whatever
ends the ``with`` block without a report is reported, so that no claim is left to run out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias

from evenhand.core.errors import EvenhandError, Fenced
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk.answers import encoded, post, read_answer
from evenhand.sdk.lease import Lease, new_lease
from evenhand.sdk.transport import Transport
from evenhand.wire import claims as wire
from evenhand.wire.intents import Comparison, Pins

LegName: TypeAlias = Literal["current", "candidate"]

#: What the hub is told of a block that ended before its report.
NOT_PUBLISHED: Final = "CONSUMER_ENDED_WITHOUT_RESULT"
FAILED: Final = "CONSUMER_FAILED"
STOPPED: Final = "CONSUMER_STOPPED"

_TOO_MANY: Final = "all cases of this leg were counted before"

#: Answers after which the same report may be sent again: it may not have arrived.
_MAYBE_LOST: Final = (HubUnavailable, DatabaseUnavailable)
_BUSY: Final = 429
_FIRST_OF_THE_SERVER: Final = 500


class ClaimSession:
    """A claim of this program; use it as a context manager. Safe to use from several threads.

    The token stays in here. It is in no message and no text of this object.

    Attributes:
        comparison: as the last answer told it.
        cases: what is to be asked, in the order of the suite.
    """

    def __init__(
        self,
        transport: Transport,
        claimed: wire.Claimed,
        *,
        path: str,
        asked_at: float,
        monotonic: Callable[[], float],
    ) -> None:
        self.comparison = claimed.comparison
        self.cases: Sequence[wire.Case] = tuple(claimed.cases)
        self._transport = transport
        self._token = claimed.claim_token
        self._path = path
        self._monotonic = monotonic
        self._lease = _lease(claimed, asked_at)
        self._done: dict[LegName, int] = {"current": 0, "candidate": 0}
        # One progress report at a time: an older count must not arrive after a newer one.
        self._reporting = threading.Lock()
        self._ended = threading.Event()
        self._refusal: EvenhandError | None = None
        self._cancel_requested = False
        self._renewing = threading.Thread(
            target=self._renew_until_ended, name="evenhand-claim", daemon=True
        )

    def __repr__(self) -> str:
        return f"ClaimSession(comparison={self.comparison.id})"

    @property
    def pins(self) -> Pins:
        """What has to be as it was when the comparison was prepared."""
        return self.comparison.pins

    @property
    def cancel_requested(self) -> bool:
        """Whether the operator wants the work to end."""
        return self._cancel_requested

    def require_open(self) -> None:
        """Go on only where the claim lives and nobody asked for its end.

        Raises:
            Fenced: the code says why no further work may start: ``cancellation_requested``,
                ``lease_unknown`` where the lease may have ended, or what the hub said.
        """
        if self._refusal is not None:
            raise self._refusal
        if self._cancel_requested:
            raise Fenced(
                "the operator asked for the end of this work", code="cancellation_requested"
            )
        if self._lease.is_over(self._monotonic()):
            raise Fenced("the lease may have ended; no answer renewed it", code="lease_unknown")

    def complete(self, leg: LegName) -> None:
        """Count one case of a leg as done; the next renewal tells the hub.

        Raises:
            ValueError: all were counted before.
        """
        with self._reporting:
            if self._done[leg] == len(self.cases):
                raise ValueError(_TOO_MANY)
            self._done[leg] += 1

    def report_progress(self) -> wire.Progressed:
        """Tell the counts now; it renews the lease.

        Raises:
            EvenhandError: as the hub refuses it; after a refusal the claim is over.
            HubUnavailable: no answer.
        """
        with self._reporting:
            said = wire.Progress(
                claim_token=self._token,
                current_completed_cases=self._done["current"],
                candidate_completed_cases=self._done["candidate"],
            )
            asked_at = self._monotonic()
            told = post(self._transport, f"{self._path}/progress", said, wire.Progressed)
            self._lease = self._lease.renewed(asked_at)
            self.comparison = told.comparison
            self._cancel_requested = told.cancel_requested
        return told

    def publish(
        self,
        *,
        consumer_revision_sha256: str,
        current: Sequence[wire.CaseResult],
        candidate: Sequence[wire.CaseResult],
        current_gateway_requests: Mapping[str, str],
        candidate_gateway_requests: Mapping[str, str],
    ) -> Comparison:
        """Publish both legs at once, and end the claim.

        Where no answer comes, the very same report is sent again until the lease may be over: the
        hub keeps it once.

        Args:
            consumer_revision_sha256: digest of the program that made the report.
            current: one result for each case.
            candidate: the same.
            current_gateway_requests: case id to the gateway's request id, of what did not fail.
            candidate_gateway_requests: the same.

        Returns:
            The comparison with its summary.

        Raises:
            EvenhandError: as the hub refuses it. The claim goes on: what is wrong may be mended.
            HubUnavailable: nobody answered as long as the lease surely lived.
        """
        said = wire.Result(
            claim_token=self._token,
            pins_digest=self.comparison.pins_digest,
            consumer_revision_sha256=consumer_revision_sha256,
            current=wire.LegResults(results=list(current)),
            candidate=wire.LegResults(results=list(candidate)),
            current_gateway_requests=dict(current_gateway_requests),
            candidate_gateway_requests=dict(candidate_gateway_requests),
        )
        return self._end_with("result", encoded(said))

    def fail(self, error_code: str | None = None) -> Comparison:
        """Say that there is no result, and end the claim.

        Args:
            error_code: uppercase letters, digits and ``_``, at most 64.

        Raises:
            EvenhandError, HubUnavailable: as `publish`.
        """
        said = wire.Finish(claim_token=self._token, outcome="failed", error_code=error_code)
        return self._end_with("finish", encoded(said))

    def acknowledge_cancellation(self) -> Comparison:
        """Say that the work has ended as the operator asked, and end the claim.

        Raises:
            EvenhandError, HubUnavailable: as `publish`.
        """
        said = wire.Finish(claim_token=self._token, outcome="cancelled")
        return self._end_with("finish", encoded(said))

    def __enter__(self) -> Self:
        self._renewing.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if not self._ended.is_set() and not isinstance(self._refusal, Fenced):
                self._end_without_report(error)
        finally:
            self._ended.set()
            self._renewing.join()

    def _end_without_report(self, error: BaseException | None) -> None:
        try:
            if self._cancel_requested:
                self.acknowledge_cancellation()
            elif error is None:
                self.fail(NOT_PUBLISHED)
            else:
                self.fail(FAILED if isinstance(error, Exception) else STOPPED)
        except EvenhandError as refused:
            # What ended the block is what its caller has to hear of; the lease runs out.
            if error is None:
                raise
            error.add_note(f"the hub did not take that the claim ended: {refused}")

    def _end_with(self, verb: str, body: bytes) -> Comparison:
        while True:
            try:
                answer = self._transport.ask("POST", f"{self._path}/{verb}", body)
                break
            except EvenhandError as error:
                now = self._monotonic()
                if not _may_pass(error) or self._lease.is_over(now):
                    raise
                self._ended.wait(min(self._lease.ends_at - now, _AGAIN_SECONDS))
        self._ended.set()
        self.comparison = read_answer(answer, Comparison)
        return self.comparison

    def _renew_until_ended(self) -> None:
        while not self._ended.wait(max(0.0, self._lease.renew_at - self._monotonic())):
            try:
                self.report_progress()
            except EvenhandError as refused:
                now = self._monotonic()
                if _may_pass(refused) and not self._lease.is_over(now):
                    self._lease = self._lease.unanswered(now)
                    continue
                # Also where a report of the work ended the claim a moment before.
                if not _may_pass(refused) and not self._ended.is_set():
                    self._refusal = refused
                return


#: Before a report that nobody answered is sent again.
_AGAIN_SECONDS: Final = 1.0


def _may_pass(error: EvenhandError) -> bool:
    """Whether it says nothing of the claim: nobody answered, or the hub is busy or failed."""
    status = getattr(error, "status", 0)
    return isinstance(error, _MAYBE_LOST) or status == _BUSY or status >= _FIRST_OF_THE_SERVER


def _lease(claimed: wire.Claimed, asked_at: float) -> Lease:
    comparison = claimed.comparison
    if comparison.claimed_at is None or comparison.deadline_at is None:
        raise HubUnavailable("its claim does not say when it ends", is_stored=False)
    return new_lease(
        claimed_at=comparison.claimed_at,
        expires_at=claimed.claim_expires_at,
        deadline_at=comparison.deadline_at,
        asked_at=asked_at,
    )
