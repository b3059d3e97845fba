"""How does what an attempt used become a row, and a row it?"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import RowMapping

from evenhand.core.review.usage import Rates, Tokens, Usage, UsageSource
from evenhand.store.text import require_storable
from evenhand.store.times import text_to_time, time_to_text

Row = dict[str, Any]

#: What used a model; the only kind there is.
JOB: Final = "agent_job"
_MICRO: Final = Decimal(1_000_000)


def usage_row(one: Usage) -> Row:
    """The row of what an attempt used."""
    rates = one.rates
    return {
        "id": one.id,
        "source_type": JOB,
        "source_id": one.job_id,
        "attempt": one.attempt,
        "model": require_storable(one.model, "model"),
        "calls": one.calls,
        **_token_columns(one.tokens),
        "usage_source": one.source.value,
        "pricing": one.pricing.value,
        "input_rate": None if rates is None else str(rates.input),
        "cached_input_rate": None if rates is None else str(rates.cached_input),
        "output_rate": None if rates is None else str(rates.output),
        "cost_micros": _micros(one.cost),
        "occurred_at": time_to_text(one.occurred_at),
    }


def row_to_usage(row: RowMapping) -> Usage:
    """The usage of a row."""
    rates = None
    if row["input_rate"] is not None:
        rates = Rates(
            input=Decimal(row["input_rate"]),
            cached_input=Decimal(row["cached_input_rate"]),
            output=Decimal(row["output_rate"]),
        )
    return Usage(
        id=row["id"],
        job_id=row["source_id"],
        attempt=row["attempt"],
        model=row["model"],
        calls=row["calls"],
        tokens=row_to_tokens(row),
        source=UsageSource(row["usage_source"]),
        rates=rates,
        occurred_at=text_to_time(row["occurred_at"]),
    )


def row_to_tokens(row: RowMapping) -> Tokens:
    """The tokens of a usage's row."""
    return Tokens(
        input=row["input_tokens"],
        cached_input=row["cached_input_tokens"],
        output=row["output_tokens"],
    )


def job_usage_row(one: Usage) -> Row:
    """What a job's own row tells of the usage of its last attempt (R-11)."""
    return {
        "model": one.model,
        "calls": one.calls,
        **_token_columns(one.tokens),
        "cost_micros": _micros(one.cost),
    }


def cost_of(micros: int | None) -> Decimal | None:
    """A cost of so many millionths; None is unknown."""
    return None if micros is None else (Decimal(micros) / _MICRO).quantize(1 / _MICRO)


def _micros(cost: Decimal | None) -> int | None:
    return None if cost is None else int(cost * _MICRO)


def _token_columns(tokens: Tokens) -> Row:
    return {
        "input_tokens": tokens.input,
        "cached_input_tokens": tokens.cached_input,
        "output_tokens": tokens.output,
    }
