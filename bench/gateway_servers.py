"""How is each gateway of the benchmark started, and what is it asked?

The peers have environments of their own beside this one (`make bench` builds them from
`bench/peers/`), because they want other versions of the same packages.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import processes
from bench.installed_peers import LOOPBACK, free_port, installed
from evenhand.adapters.system import SystemClock, SystemSecrets, UuidV7Ids
from evenhand.core.access.roles import Actor, ActorKind, Capability, Role
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.route import RouteKind
from evenhand.core.registry.runtime import RuntimeKind
from evenhand.core.registry.upstream import parse_upstream_allow
from evenhand.store.migrate import upgrade
from evenhand.store.uow import open_database
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import (
    artifacts,
    bindings,
    deployments,
    projects,
    routes,
    runtimes,
    service_clients,
)

HERE = Path(__file__).parent
DIMENSION = 384
#: What the model is called, by the upstream and by whoever asks.
FAST, SLOW = "constant", "constant-slow"
#: Nothing of this machine's settings, and no look for a newer version elsewhere.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """One that answers.

    Attributes:
        process: it, or None for an upstream that is asked itself.
        url: for its fast model.
        slow_url: for its slow one.
        token: that it wants.
        names_model: whether the body names the model, rather than the address.
        seconds_to_answer: from its start to its first vectors.
    """

    url: str
    slow_url: str
    process: subprocess.Popen[bytes] | None = None
    token: str = "none"  # noqa: S105 -- there is none
    names_model: bool = True
    seconds_to_answer: float = field(default=0.0)

    def body(self, value: object, *, is_slow: bool = False) -> dict[str, object]:
        """What it is asked for some inputs."""
        named = {"model": SLOW if is_slow else FAST} if self.names_model else {}
        return {**named, "input": value}

    def answer(self, value: object, *, is_slow: bool = False) -> bytes:
        """The body of an answer."""
        request = urllib.request.Request(  # noqa: S310 -- of loopback
            self.slow_url if is_slow else self.url,
            json.dumps(self.body(value, is_slow=is_slow)).encode(),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=processes.PATIENCE) as answer:  # noqa: S310
            body: bytes = answer.read()
        return body


Maker = Callable[[], AbstractContextManager[Gateway]]


@contextmanager
def upstream(wait: float = 0.0) -> Iterator[str]:
    """The address of a server of constant vectors, for the time of a block."""
    command = [sys.executable, str(HERE / "gateway_upstream.py")]
    command += ["--dimension", str(DIMENSION), "--wait", str(wait)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None  # noqa: S101 -- it is a pipe
    try:
        yield process.stdout.readline().decode().strip()
    finally:
        process.stdout.close()
        processes.end(process)


def hub(folder: Path, url: str, fast: str, slow: str, *, keeps: bool) -> Maker:
    """The hub over a database, which is filled here.

    Args:
        folder: where it runs.
        url: of the database.
        fast: address of one upstream.
        slow: address of the other.
        keeps: whether requests leave rows; without them it is the benchmark's own hub, not one
            that anybody can start.
    """
    token = register(url, fast, slow)
    program = ["-m", "evenhand"] if keeps else [str(HERE / "gateway_bare.py")]

    def _command(port: int) -> list[str]:
        options = ["--database-url", url, "serve", "--port", str(port), "--json"]
        return [sys.executable, *program, *options]

    address = "http://{host}:{port}/v1/embeddings"
    variables = {"EVENHAND_SERVE_UPSTREAM_ALLOW": LOOPBACK}
    return lambda: _running(folder, _command, address, token=token, variables=variables)


def litellm(folder: Path, fast: str, slow: str) -> Maker:
    """LiteLLM's proxy: no database, one key, without which it does not start."""
    program = installed("litellm", "litellm")
    models = [
        {
            "model_name": name,
            "litellm_params": {
                "model": f"openai/{FAST}",
                "api_base": f"{address}/v1",
                "api_key": "none",
            },
        }
        for name, address in ((FAST, fast), (SLOW, slow))
    ]
    file = folder / "litellm.yaml"
    key = f"sk-{SystemSecrets().new().hex()}"
    settings = {"model_list": models, "general_settings": {"master_key": key}}
    # JSON is YAML, too.
    file.write_text(json.dumps(settings), encoding="utf-8")

    def _command(port: int) -> list[str]:
        where = ["--host", LOOPBACK, "--port", str(port)]
        return [str(program), "--config", str(file), *where, "--telemetry", "False"]

    return lambda: _running(folder, _command, "http://{host}:{port}/v1/embeddings", token=key)


def mlflow(folder: Path, fast: str, slow: str) -> Maker:
    """MLflow's gateway with one worker, as it comes."""
    program = installed("mlflow", "mlflow")
    endpoints = [
        {
            "name": name,
            "endpoint_type": "llm/v1/embeddings",
            "model": {
                "provider": "openai",
                "name": FAST,
                "config": {"openai_api_key": "none", "openai_api_base": f"{address}/v1"},
            },
        }
        for name, address in ((FAST, fast), (SLOW, slow))
    ]
    file = folder / "mlflow.yaml"
    file.write_text(json.dumps({"endpoints": endpoints}), encoding="utf-8")

    def _command(port: int) -> list[str]:
        where = ["--host", LOOPBACK, "--port", str(port), "--workers", "1"]
        return [str(program), "gateway", "start", "--config-path", str(file), *where]

    address = "http://{host}:{port}/gateway/{model}/invocations"
    # It starts its server by its name.
    variables = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    return lambda: _running(folder, _command, address, names_model=False, variables=variables)


@contextmanager
def _running(
    folder: Path,
    command: Callable[[int], list[str]],
    address: str,
    *,
    variables: dict[str, str] | None = None,
    **stated: object,
) -> Iterator[Gateway]:
    """A gateway, once it has given vectors, for the time of a block."""
    port = free_port()
    urls = [address.format(host=LOOPBACK, port=port, model=model) for model in (FAST, SLOW)]
    began = time.perf_counter()
    with (folder / "errors.txt").open("ab") as errors:
        process = subprocess.Popen(
            command(port),
            cwd=folder,
            env={**ENVIRONMENT, "HOME": str(folder), **(variables or {})},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    try:
        asked = Gateway(url=urls[0], slow_url=urls[1], **stated)  # type: ignore[arg-type]
        processes.wait_until(lambda: _answers(asked), process)
        took = time.perf_counter() - began
        yield replace(asked, process=process, seconds_to_answer=took)
    finally:
        processes.end(process)


def _answers(gateway: Gateway) -> bool:
    try:
        return b'"embedding"' in gateway.answer("a")
    except urllib.error.HTTPError as error:
        if error.code == 503:
            return False
        raise SystemExit(error.read().decode("utf-8", "replace")) from None
    except OSError:
        return False


def register(url: str, fast: str, slow: str, *, dimension: int = DIMENSION) -> str:
    """The token of a client that may call both upstreams, of a database that is made here."""
    upgrade(url)
    database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
    try:
        return database.run(lambda uow: _registered(uow, {FAST: fast, SLOW: slow}, dimension))
    finally:
        database.close()


def _registered(uow: UnitOfWork, addresses: dict[str, str], dimension: int) -> str:
    by = {"actor": Actor(kind=ActorKind.COMMAND_LINE), "ids": UuidV7Ids()}
    project = projects.create(uow, name="bench", **by)
    capability = Capability.EMBEDDING
    binding = bindings.create(
        uow, project_id=project.id, name="search", capability=capability, stage=Stage.STABLE, **by
    )
    client = service_clients.create(uow, binding_id=binding.id, name="load", **by)
    artifact = artifacts.create(uow, name=FAST, digest="0" * 64, model=FAST, **by)
    kinds = (RouteKind.STABLE, RouteKind.EXPERIMENT)
    for (name, address), kind in zip(addresses.items(), kinds, strict=True):
        runtime = runtimes.create(
            uow,
            name=name,
            kind=RuntimeKind.OPENAI_HTTP,
            identity=name,
            base_url=f"{address}/v1",
            allow=parse_upstream_allow(LOOPBACK),
            **by,
        )
        deployment = deployments.create(
            uow,
            project_id=project.id,
            name=name,
            artifact_id=artifact.id,
            runtime_id=runtime.id,
            upstream_model=FAST,
            embedding_identity=name,
            dimension=dimension,
            **by,
        )
        routes.create(
            uow,
            binding_id=binding.id,
            name=name,
            kind=kind,
            deployment_id=deployment.id,
            **by,
        )
    issued = access.create(
        uow,
        name="load",
        role=Role.SERVICE_CLIENT,
        client_id=client.id,
        secrets=SystemSecrets(),
        **by,
    )
    return issued.token
