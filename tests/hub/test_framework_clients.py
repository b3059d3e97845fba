"""LangChain's and LlamaIndex's clients of OpenAI work against the gateway as they are.

Both are in this one module: their imports take seconds.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import openai
import pytest
import sqlalchemy as sa
from langchain_openai import OpenAIEmbeddings
from llama_index.embeddings.openai import OpenAIEmbedding
from pydantic import SecretStr

from evenhand.core.identity.canonical import query_digest
from evenhand.store.engine import create_engine
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_live import Live, live_hub
from tests.upstream_server import Scripted

PATIENCE = 60
DOCUMENT = {"input_type": "document"}


@pytest.fixture
def live(
    open_hub: Callable[..., Hub], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Live]:
    # Whoever runs the tests may have it on; it would send what is embedded elsewhere.
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "false")
    with live_hub(open_hub, database_url) as made:
        yield made


def kept(live: Live) -> list[tuple[str, int, str, str | None]]:
    """State, number of inputs, purpose and digest of each row, in order."""
    engine = create_engine(live.served.hub.parts.database_url)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.text(
                "SELECT state, input_count, purpose, query_digest FROM gateway_request ORDER BY id"
            )
        ).all()
    engine.dispose()
    return [tuple(row) for row in rows]


def completed(text: str | None, *, count: int = 1, purpose: str = "query") -> tuple[object, ...]:
    return "completed", count, purpose, None if text is None else query_digest(text)


async def asked(
    client: Callable[[], openai.AsyncOpenAI | None], *questions: Awaitable[Any]
) -> list[Any]:
    """The answers to questions, one after the other; then the client is closed."""
    found = [await question for question in questions]
    opened = client()
    assert opened is not None
    await opened.close()
    return found


def langchain(live: Live, **stated: object) -> OpenAIEmbeddings:
    return OpenAIEmbeddings(
        model="stable",
        base_url=live.address,
        api_key=SecretStr(live.token),
        # Otherwise it fetches a tokenizer and sends token ids.
        check_embedding_ctx_length=False,
        max_retries=0,
        timeout=PATIENCE,
        **stated,
    )


def llama_index(live: Live, **stated: object) -> OpenAIEmbedding:
    return OpenAIEmbedding(
        model_name="stable",
        api_base=live.address,
        api_key=live.token,
        max_retries=0,
        timeout=PATIENCE,
        **stated,
    )


@only_sqlite
@pytest.mark.proves("C-95")
def test_langchain_gets_vectors_and_its_single_queries_are_evidence(live: Live) -> None:
    model = langchain(live)

    assert model.embed_documents(["b", "a", "c"]) == [[2.0], [1.0], [3.0]]
    assert model.embed_query("z") == [26.0]

    answers = asked(
        lambda: model.async_client._client,
        model.aembed_documents(["d", "d"]),
        model.aembed_query("e"),
    )
    assert asyncio.run(answers) == [[[4.0], [4.0]], [5.0]]
    assert kept(live) == [
        completed(None, count=3),
        completed("z"),
        completed(None, count=2),
        completed("e"),
    ]


@only_sqlite
def test_langchain_says_that_it_embeds_documents(live: Live) -> None:
    model = langchain(live, model_kwargs={"extra_body": DOCUMENT}, chunk_size=2)

    assert model.embed_documents(["b", "a", "c"]) == [[2.0], [1.0], [3.0]]
    assert kept(live) == [
        completed(None, count=2, purpose="document"),
        completed(None, purpose="document"),
    ]


@only_sqlite
@pytest.mark.proves("C-96")
def test_llama_index_gets_vectors_and_its_single_queries_are_evidence(live: Live) -> None:
    model = llama_index(live)

    assert model.get_text_embedding_batch(["b", "a", "c"]) == [[2.0], [1.0], [3.0]]
    assert model.get_query_embedding("z") == [26.0]

    answers = asked(
        lambda: model._aclient,
        model.aget_text_embedding_batch(["d", "d"]),
        model.aget_query_embedding("\ne"),
    )
    assert asyncio.run(answers) == [[[4.0], [4.0]], [5.0]]
    # It puts a blank for each line feed before it sends: the digest is of what came.
    assert kept(live) == [
        completed(None, count=3),
        completed("z"),
        completed(None, count=2),
        completed(" e"),
    ]


@only_sqlite
def test_llama_index_says_that_it_embeds_documents_in_batches(live: Live) -> None:
    model = llama_index(
        live, additional_kwargs={"extra_body": DOCUMENT}, embed_batch_size=2, dimensions=1
    )

    assert model.get_text_embedding_batch(["b", "a", "c"]) == [[2.0], [1.0], [3.0]]
    assert [got.json["dimensions"] for got in live.upstream.received] == [1, 1]
    assert kept(live) == [
        completed(None, count=2, purpose="document"),
        completed(None, purpose="document"),
    ]


@only_sqlite
def test_both_tell_of_a_refusal_in_their_own_way(live: Live) -> None:
    live.upstream.answer = lambda _: Scripted(status=429, headers={"Retry-After": "7"})

    with pytest.raises(openai.RateLimitError, match="busy"):
        langchain(live).embed_query("a")
    with pytest.raises(openai.RateLimitError, match="busy"):
        llama_index(live, reuse_client=True).get_query_embedding("a")
    assert [state for state, *_ in kept(live)] == ["failed", "failed"]
