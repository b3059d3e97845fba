"""For programs of a project that work with a hub: calls, and a claim that is kept alive.

What is here imports nothing of the server. Errors are those of ``evenhand.core.errors``, told
apart by their code.

    with HubClient("https://hub.example", token) as hub:
        for comparison in hub.list_assigned():
            with hub.claim(comparison.id) as session:
                ...
"""

from evenhand.sdk.claim import ClaimSession
from evenhand.sdk.client import Embedded, HubClient
from evenhand.sdk.consumer import Hit, Index, RetrievalAdapter
from evenhand.sdk.consuming import Consumed, consume_claim
from evenhand.sdk.reviews import ReviewAttempt, ReviewClient

__all__ = [
    "ClaimSession",
    "Consumed",
    "Embedded",
    "Hit",
    "HubClient",
    "Index",
    "RetrievalAdapter",
    "ReviewAttempt",
    "ReviewClient",
    "consume_claim",
]
