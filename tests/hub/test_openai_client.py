"""The official client of OpenAI works against the gateway as it is, sync and async."""

import asyncio
from collections.abc import Callable, Iterator

import openai
import pytest

from evenhand.core.gateway.request import is_public_id
from evenhand.core.identity.canonical import query_digest
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_live import Live, live_hub
from tests.upstream_server import Scripted, embeddings

PATIENCE = 60


@pytest.fixture
def live(open_hub: Callable[..., Hub], database_url: str) -> Iterator[Live]:
    with live_hub(open_hub, database_url) as made:
        yield made


def client_of(live: Live, token: str | None = None) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=live.address, api_key=token or live.token, max_retries=0, timeout=PATIENCE
    )


@only_sqlite
def test_the_sync_client_gets_vectors_and_an_id_that_proves_it(live: Live) -> None:
    with client_of(live) as client:
        found = client.embeddings.create(model="stable", input=["b", "a", "c"])
        single = client.embeddings.create(model="stable", input="z", encoding_format="float")

    assert [(item.index, item.embedding) for item in found.data] == [
        (0, [2.0]),
        (1, [1.0]),
        (2, [3.0]),
    ]
    assert found.usage.prompt_tokens == 3
    # Nobody asked it to: it asks for Base64 and unpacks that itself.
    assert [got.json.get("encoding_format") for got in live.upstream.received] == [
        "base64",
        "float",
    ]
    assert single.data[0].embedding == [26.0]
    request_id = single._request_id
    assert request_id is not None
    assert is_public_id(request_id)
    row = live.kept(request_id)
    assert row.asked is not None
    assert row.asked.query_digest == query_digest("z")


@only_sqlite
def test_the_async_client_gets_the_same(live: Live) -> None:
    async def run() -> list[list[float]]:
        async with openai.AsyncOpenAI(
            base_url=live.address, api_key=live.token, max_retries=0, timeout=PATIENCE
        ) as client:
            found = await asyncio.gather(
                *(client.embeddings.create(model="stable", input=text) for text in "abcdefgh")
            )
            models = await client.models.list()
            assert [model.id for model in models.data] == ["stable"]
        return [one.data[0].embedding for one in found]

    assert asyncio.run(run()) == [[float(number)] for number in range(1, 9)]
    assert live.served.count() == 8


@only_sqlite
def test_the_clients_errors_are_the_ones_that_it_knows(live: Live) -> None:
    with client_of(live) as client:
        with pytest.raises(openai.BadRequestError) as bad:
            client.embeddings.create(model="stable", input=["a", ""])
        with pytest.raises(openai.NotFoundError) as missing:
            client.embeddings.create(model="nobody", input="a")
        live.upstream.answer = lambda _: Scripted(status=429, headers={"Retry-After": "7"})
        with pytest.raises(openai.RateLimitError) as busy:
            client.embeddings.create(model="stable", input="a")
        live.upstream.answer = lambda _: Scripted(status=401)
        with pytest.raises(openai.InternalServerError) as failed:
            client.embeddings.create(model="stable", input="a")
    with (
        client_of(live, "evh_sc_nobody") as client,
        pytest.raises(openai.AuthenticationError) as who,
    ):
        client.embeddings.create(model="stable", input="a")

    assert (bad.value.code, bad.value.param) == ("invalid_input", "input")
    assert missing.value.code == "model_not_found"
    assert busy.value.response.headers["retry-after"] == "7"
    assert (failed.value.status_code, failed.value.code) == (502, "upstream_refused_credential")
    assert who.value.code == "bad_credential"
    for refused in (bad, missing, busy, failed, who):
        assert is_public_id(str(refused.value.request_id))


@only_sqlite
def test_the_clients_own_retry_finds_the_next_answer(live: Live) -> None:
    answers = [
        Scripted(status=503, headers={"Retry-After": "0"}),
        Scripted(body=embeddings([1.0])),
    ]
    live.upstream.answer = lambda _: answers.pop(0)
    with openai.OpenAI(base_url=live.address, api_key=live.token, max_retries=1) as client:
        found = client.embeddings.create(model="stable", input="a", encoding_format="float")

    assert found.data[0].embedding == [1.0]
    # Each try is a request of its own, with a row of its own.
    assert live.served.count() == 2
