"""What did an attempt use, and what did that cost? Known, nothing, or unknown; never guessed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from enum import StrEnum
from typing import Final

from evenhand.core.errors import InvalidValue

_MILLION: Final = Decimal(1_000_000)
#: The smallest part of the currency that is kept: six decimals.
_MICRO: Final = Decimal("0.000001")
MAX_RATE: Final = Decimal(1_000_000)


class Pricing(StrEnum):
    """What is known of the cost."""

    PRICED = "priced"
    NO_CHARGE = "no_charge"
    UNPRICED = "unpriced"


class UsageSource(StrEnum):
    """Who counted the tokens."""

    RUNNER = "runner"
    PROXY = "proxy"
    MERGED = "merged"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens by what they are billed as; None where nobody counted them.

    Attributes:
        input, cached_input, output: each at least 0, or None; the second is no part of the first.
    """

    input: int | None = None
    cached_input: int | None = None
    output: int | None = None

    def __post_init__(self) -> None:
        if any(one is not None and one < 0 for one in self.buckets):
            raise InvalidValue("tokens", "must not be negative")

    @property
    def buckets(self) -> tuple[int | None, int | None, int | None]:
        """All three, in order."""
        return self.input, self.cached_input, self.output

    @property
    def is_known(self) -> bool:
        """Whether anybody counted any."""
        return any(one is not None for one in self.buckets)

    def merged(self, other: Tokens) -> Tokens:
        """Per bucket what whoever saw more saw (BR-33)."""
        pairs = zip(self.buckets, other.buckets, strict=True)
        known = [[one for one in pair if one is not None] for pair in pairs]
        most = [max(pair) if pair else None for pair in known]
        return Tokens(input=most[0], cached_input=most[1], output=most[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Prices of a million tokens, frozen with the usage; each from 0 to a million."""

    input: Decimal
    cached_input: Decimal
    output: Decimal

    def __post_init__(self) -> None:
        for one in (self.input, self.cached_input, self.output):
            if not one.is_finite() or not 0 <= one <= MAX_RATE:
                raise InvalidValue("rates", "must be from 0 to 1000000 a million tokens")

    @property
    def is_free(self) -> bool:
        """Whether nothing is charged."""
        return not (self.input or self.cached_input or self.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one attempt used; written once.

    Attributes:
        id: UUIDv7 text.
        job_id, attempt: of which attempt; no two of the same.
        model: the admitted one, of the configuration snapshot.
        calls: of the model, at least 0.
        tokens: as counted.
        source: by whom.
        rates: None where the price is unknown.
        occurred_at: aware UTC.
    """

    id: str
    job_id: str
    attempt: int
    model: str
    calls: int
    tokens: Tokens
    source: UsageSource
    rates: Rates | None
    occurred_at: datetime

    def __post_init__(self) -> None:
        if self.calls < 0:
            raise InvalidValue("calls", "must not be negative")
        if (self.source is UsageSource.NONE) is self.tokens.is_known:
            raise InvalidValue("source", "is none exactly where no tokens are known")

    @property
    def pricing(self) -> Pricing:
        """What is known of the cost: without tokens nothing, which is not the same as no cost."""
        if self.rates is None or not self.tokens.is_known:
            return Pricing.UNPRICED
        return Pricing.NO_CHARGE if self.rates.is_free else Pricing.PRICED

    @property
    def cost(self) -> Decimal | None:
        """Six decimals, rounded half to even, above 0 where anything was charged; None: unknown."""
        if self.pricing is Pricing.UNPRICED or self.rates is None:
            return None
        exact = sum(
            (
                Decimal(tokens or 0) * rate
                for tokens, rate in zip(
                    self.tokens.buckets,
                    (self.rates.input, self.rates.cached_input, self.rates.output),
                    strict=True,
                )
            ),
            start=Decimal(0),
        )
        cost = (exact / _MILLION).quantize(_MICRO, rounding=ROUND_HALF_EVEN)
        return _MICRO if exact > 0 and cost == 0 else cost
