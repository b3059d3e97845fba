"""How is this run of Evenhand configured? One frozen value, read once, from four places.

Flags win over the environment (``EVENHAND_*``), that over ``evenhand.toml`` or
``[tool.evenhand]`` in ``pyproject.toml``, that over the defaults. An unset setting has its
default; a malformed one is an error that names the setting and the place, never the value.
This is the only module that reads the environment.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final

from evenhand.core.errors import InvalidSetting
from evenhand.core.gateway.inputs import MAX_INPUTS
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.registry.upstream import PUBLIC_ONLY, UpstreamAllow
from evenhand.core.registry.variables import NO_VARIABLES, VariableAllow
from evenhand.core.scoring.protocols import WINDOW
from evenhand.setting_values import EMBEDDED, READERS
from evenhand.usecases.evaluations import DEFAULT_RETENTION_DAYS

STATE_FOLDER: Final = ".evenhand"
DATABASE_FILE: Final = "evenhand.db"
CONFIG_FILE: Final = "evenhand.toml"
SHARED_FILE: Final = "pyproject.toml"
#: The variable by which a GitHub workflow names the summary of a step.
SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_MARKERS: Final = (CONFIG_FILE, SHARED_FILE, STATE_FOLDER)
_PREFIX: Final = "EVENHAND_"
_ENVIRONMENT: Final = "environment"
#: Variables of other parts and of the tests, which are no settings.
_OTHERS: Final = ("CI", "SECRET_KEY", "SHARED")
_OF_TESTS: Final = "TEST_"
#: How alike two names are, from 0 to 1, for one to be taken for the other misspelt.
_MISSPELT, _ALIKE = 0.8, 0.6
#: The address of this machine that no other machine reaches.
LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be configured.

    Attributes:
        project_root: where ``evenhand.toml``, ``pyproject.toml`` or ``.evenhand/`` lies.
        database_url: the store; by default ``.evenhand/evenhand.db`` under the project root.
        privacy: how much of an evaluation is kept; by default ``full`` in an embedded store
            (SQLite) and ``metadata`` on a server that others use too.
        depth: limit handed to a retriever, at least 1.
        jobs: retrieval calls at a time, at least 1.
        max_failed_share: share of failed questions above which a run ends with exit code 5.
        retention_days: how long anything is kept before a purge takes it, at least 1.
        retention_evaluation_days: the same for evaluations only, None for the general number.
        retention_gateway_days: the same for requests to the gateway, None for the general number.
        serve_host: address that a hub listens on; by default of this machine only.
        serve_port: its port; 0 takes one that is free.
        serve_public_url: where browsers reach a hub, without a path; None for what each request
            says of itself.
        serve_body_limit: how many bytes the body of a request may have, at least 1.
        serve_upstream_allow: which upstreams a hub may call although they are not public.
        serve_upstream_secrets: which variables a hub may read to send their values to upstreams.
        serve_upstream_seconds: how long a hub waits for an upstream, at least 1.
        serve_upstream_calls: how many calls of one deployment are out at a time, at least 1.
        serve_upstream_batch: how many inputs an upstream is sent together, at least 1.
        serve_otlp_url: collector of traces and metrics of the gateway; None for none.
        hub_url: where a hub listens that results are sent to; None where there is none.
        token: by which it knows this program; from the environment only, shown nowhere.
        retrievers: the tables under ``[retrievers.NAME]``, as they were written.
        sources: setting → where its value came from.
        config_file: the file of this project's configuration, there or not:
            ``evenhand.toml``, or ``pyproject.toml`` where only that is there.
        unheeded: variables of the environment that begin as settings do and are none, each with
            the settings that it resembles.
    """

    project_root: Path
    database_url: str
    privacy: PrivacyLevel = PrivacyLevel.FULL
    depth: int = WINDOW
    jobs: int = 1
    max_failed_share: Fraction = Fraction(1, 10)
    retention_days: int = DEFAULT_RETENTION_DAYS
    retention_evaluation_days: int | None = None
    retention_gateway_days: int | None = None
    serve_host: str = LOOPBACK
    serve_port: int = 8642
    serve_public_url: str | None = None
    serve_body_limit: int = 4 * 2**20
    serve_upstream_allow: UpstreamAllow = PUBLIC_ONLY
    serve_upstream_secrets: VariableAllow = NO_VARIABLES
    serve_upstream_seconds: int = 60
    serve_upstream_calls: int = 64
    serve_upstream_batch: int = MAX_INPUTS
    serve_otlp_url: str | None = None
    hub_url: str | None = None
    token: str | None = field(default=None, repr=False)
    retrievers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    config_file: str = CONFIG_FILE
    unheeded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def hub_privacy(self) -> PrivacyLevel:
        """How much a hub keeps of what is sent to it: ``metadata`` unless a level was chosen.

        A hub holds what others send, whatever its database is.
        """
        is_chosen = self.sources.get("privacy", "default") != "default"
        return self.privacy if is_chosen else PrivacyLevel.METADATA

    @property
    def retriever_table(self) -> str:
        """Name of the table of the retrievers in the configuration file."""
        return "retrievers" if self.config_file == CONFIG_FILE else "tool.evenhand.retrievers"

    @property
    def state_folder(self) -> Path:
        """Folder of the embedded store and of caches."""
        return self.project_root / STATE_FOLDER

    @property
    def evaluation_days(self) -> int:
        """Days that evaluations are kept: their own number, else the general one (BP-30)."""
        return self.retention_evaluation_days or self.retention_days

    @property
    def gateway_days(self) -> int:
        """Days that requests to the gateway are kept: their own number, else the general one."""
        return self.retention_gateway_days or self.retention_days


#: What no file of a project may hold, and no list of processes may show.
_SECRETS: Final = frozenset({"token"})


def load_settings(
    flags: Mapping[str, str | None] | None = None,
    *,
    start: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of this run.

    Args:
        flags: values given on the command line, as text; None means not given.
        start: where to look for the project root, by default the working directory.
        environment: the environment, by default the process's own.

    Raises:
        InvalidSetting: a value is malformed, or a name is not known: a key, a flag, or a variable
            of the environment whose name is that of a setting misspelt.
    """
    root = find_project_root(start or Path.cwd())
    where, table = _configuration(root)
    retrievers = _retrievers(table.pop("retrievers", {}), where)
    given = os.environ if environment is None else environment
    unheeded = _unheeded(given, retrievers)
    layers = (
        (where, {name: _plain(name, value, where) for name, value in table.items()}),
        (_ENVIRONMENT, _environment(given)),
        ("flag", {name: text for name, text in (flags or {}).items() if text is not None}),
    )
    values: dict[str, object] = {}
    sources = dict.fromkeys(READERS, "default")
    for source, layer in layers:
        for name, text in layer.items():
            values[name] = _read(name, text, source)
            sources[name] = source
    url = values.setdefault("database_url", f"sqlite:///{root / STATE_FOLDER / DATABASE_FILE}")
    if not str(url).startswith(EMBEDDED):
        values.setdefault("privacy", PrivacyLevel.METADATA)
    return Settings(
        project_root=root,
        retrievers=retrievers,
        sources=sources,
        config_file=where.split()[0],
        unheeded=unheeded,
        **values,  # type: ignore[arg-type]  # each read by its reader
    )


def find_project_root(start: Path) -> Path:
    """The nearest folder upward with a marker of a project, or ``start`` itself."""
    here = start.resolve()
    for folder in (here, *here.parents):
        if any((folder / marker).exists() for marker in _MARKERS):
            return folder
    return here


def environment_secret(name: str) -> str | None:
    """The value of an environment variable that a configuration names; None when unset."""
    return os.environ.get(name)


def has_screen() -> bool:
    """Whether a browser that is opened has a screen to open on."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def step_summary() -> Path | None:
    """The file to which a step of a GitHub workflow adds its summary; None outside of one."""
    named = os.environ.get(SUMMARY)
    return Path(named) if named else None


def _read(name: str, text: str, source: str) -> object:
    reader = READERS.get(name)
    if reader is None:
        raise InvalidSetting(name, "is not a setting", source=source)
    if name in _SECRETS and source != _ENVIRONMENT:
        raise InvalidSetting(name, _only_there(name), source=source)
    try:
        return reader(text)
    except ValueError as error:
        raise InvalidSetting(name, str(error), source=source) from None


def _only_there(name: str) -> str:
    return f"is a secret and read from the environment only, as {_PREFIX}{name.upper()}"


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Settings from the environment; an empty value counts as unset."""
    known = {_PREFIX + name.upper(): name for name in READERS}
    return {
        known[variable]: text
        for variable, text in environment.items()
        if variable in known and text
    }


def _unheeded(
    environment: Mapping[str, str], retrievers: Mapping[str, Mapping[str, object]]
) -> dict[str, tuple[str, ...]]:
    """Variables that are no settings, each with the settings that it resembles.

    One that is a setting misspelt is refused, as an unknown key of the file is: left alone, a
    misspelt EVENHAND_PRIVACY would let more be kept than somebody allowed. A variable that a
    configuration names for itself is no mistake.
    """
    from difflib import get_close_matches  # seldom needed, so on use

    own = {table.get("token_env") for table in retrievers.values()}
    known = [name.upper() for name in READERS]
    found: dict[str, tuple[str, ...]] = {}
    for variable, text in environment.items():
        name = variable.removeprefix(_PREFIX)
        is_other = name in (variable, *known, *_OTHERS) or name.startswith(_OF_TESTS)
        if is_other or not text or variable in own:
            continue
        if misspelt := get_close_matches(name.upper(), known, n=1, cutoff=_MISSPELT):
            raise InvalidSetting(variable, _did_you_mean(misspelt[0]), source="environment")
        alike = get_close_matches(name.upper(), known, cutoff=_ALIKE)
        found[variable] = tuple(_PREFIX + one for one in alike)
    return found


def _did_you_mean(name: str) -> str:
    return f"is not a setting; did you mean {_PREFIX}{name}?"


def _configuration(root: Path) -> tuple[str, dict[str, object]]:
    own = root / CONFIG_FILE
    if own.is_file():
        return CONFIG_FILE, _toml(own)
    shared = root / SHARED_FILE
    if not shared.is_file():
        return CONFIG_FILE, {}
    where = f"{SHARED_FILE} [tool.evenhand]"
    tool = _toml(shared).get("tool", {})
    table = tool.get("evenhand", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise InvalidSetting("tool.evenhand", "must be a table", source=SHARED_FILE)
    return where, dict(table)


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        rule = str(error)  # says line and column, not the value
    except UnicodeDecodeError:
        rule = "is not UTF-8"
    except OSError as error:
        rule = f"cannot be read ({type(error).__name__})"
    except (ValueError, RecursionError):
        rule = "holds a number that is too long, or is nested too deeply"
    raise InvalidSetting(path.name, rule)


def _plain(name: str, value: object, source: str) -> str:
    """A TOML value as the text that flags and environment would give."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidSetting(name, "must be text or a number", source=source)
    # Python writes small floats with an exponent, which is no decimal text.
    return format(Decimal(repr(value)), "f") if isinstance(value, float) else str(value)


def _retrievers(value: object, source: str) -> dict[str, Mapping[str, object]]:
    rule = "must be tables such as [retrievers.NAME]"
    if not isinstance(value, dict):
        raise InvalidSetting("retrievers", rule, source=source)
    for name, table in value.items():
        if not isinstance(table, dict):
            member = f"retrievers.{name}"
            raise InvalidSetting(member, rule, source=source)
    return {str(name): dict(table) for name, table in value.items()}
