"""Which configuration does a submitted review of grounding have? All of what its reviewer goes by."""

from __future__ import annotations

from typing import Any, Final

from evenhand.adapters.reviewers import model, rules
from evenhand.adapters.reviewers.chat import require_base_url
from evenhand.core.review.snapshot import SCHEMA_VERSION

DEFAULT_TIMEOUT_SECONDS: Final = 600
DEFAULT_OUTPUT_TOKENS: Final = 2_000


def rules_config(*, timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS) -> dict[str, Any]:
    """Of the deterministic reviewer."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "apiProtocol": rules.PROTOCOL,
        "upstreamModelId": rules.MODEL,
        "timeoutSeconds": timeout_seconds,
    }


def model_config(
    name: str,
    base_url: str,
    *,
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS,
    max_output_tokens: int = DEFAULT_OUTPUT_TOKENS,
    seed: int = 0,
    by_text: bool = False,
) -> dict[str, Any]:
    """Of a model behind a chat endpoint; no credential is in it.

    Args:
        name: as the endpoint calls it.
        base_url: up to and with the version.
        timeout_seconds: of an attempt.
        max_output_tokens: an output that is cut off is none.
        seed: where the endpoint knows one.
        by_text: whether the form is asked for in words only.

    Raises:
        InvalidSetting: the address cannot be used.
    """
    return {
        "schemaVersion": SCHEMA_VERSION,
        "apiProtocol": model.PROTOCOL,
        "baseUrl": require_base_url(base_url),
        "upstreamModelId": name,
        "timeoutSeconds": timeout_seconds,
        "temperature": 0,
        "seed": seed,
        "maxOutputTokens": max_output_tokens,
        "responseFormat": model.BY_TEXT if by_text else model.BY_SCHEMA,
    }
