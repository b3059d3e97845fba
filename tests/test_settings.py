"""Settings: four places in one order, unset is the default, malformed is an error without value."""

import sys
import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.registry.upstream import parse_upstream_allow
from evenhand.core.registry.variables import parse_variable_allow
from evenhand.settings import Settings, environment_secret, find_project_root, load_settings

CANARY = "settings-canary-3b8d"

#: setting → a malformed value; each holds the canary where a text can.
MALFORMED = [
    ("database_url", f"mysql://user:{CANARY}@host/db"),
    ("database_url", CANARY),
    ("privacy", CANARY),
    ("privacy", "FULL"),
    ("privacy", " full"),
    ("depth", "0"),
    ("depth", "-1"),
    ("depth", "1.5"),
    ("depth", CANARY),
    ("depth", "1" * 5000),
    ("depth", "\u0661"),
    ("jobs", "0"),
    ("jobs", "two"),
    ("serve_upstream_allow", f"10.0.0.0/8, {CANARY}/8"),
    ("serve_upstream_allow", "127.1"),
    ("serve_upstream_secrets", f"KEY, {CANARY}"),
    ("serve_upstream_secrets", "*"),
    ("serve_upstream_secrets", "EVENHAND_*"),
    ("max_failed_share", "1.1"),
    ("max_failed_share", "-0.1"),
    ("max_failed_share", "10%"),
    ("max_failed_share", "0." + "1" * 5000),
    ("retention_days", "0"),
    ("retention_days", "-30"),
    ("retention_days", "soon"),
    ("retention_days", "1000000000"),
    ("retention_evaluation_days", "0"),
    ("hub_url", "hub.example.test"),
    ("hub_url", f"ftp://{CANARY}/"),
    ("hub_url", f"https://user:{CANARY}@host/"),
    ("hub_url", f"https://host/?api_key={CANARY}"),
    ("hub_url", f"https://host/#{CANARY}"),
    ("hub_url", f"https://host:{CANARY}/"),
    ("hub_url", "https://host/ x"),
]
MALFORMED_IDS = [f"{name}-{number}" for number, (name, _) in enumerate(MALFORMED)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project root that no folder above can take the place of."""
    (tmp_path / "evenhand.toml").write_text("")
    return tmp_path


def load(
    project: Path, toml: str = "", environment: dict[str, str] | None = None, **flags: str | None
) -> Settings:
    (project / "evenhand.toml").write_text(toml, encoding="utf-8")
    return load_settings(flags, start=project, environment=environment or {})


# Defaults and precedence -------------------------------------------------------------------


@pytest.mark.proves("BP-28", "BP-30")
def test_unset_settings_have_their_defaults(project: Path) -> None:
    settings = load(project)
    assert settings == Settings(
        project_root=project,
        database_url=f"sqlite:///{project}/.evenhand/evenhand.db",
        privacy=PrivacyLevel.FULL,
        depth=12,
        jobs=1,
        max_failed_share=Fraction(1, 10),
        retention_days=30,
        retention_evaluation_days=None,
        retrievers={},
        sources=settings.sources,
    )
    assert set(settings.sources.values()) == {"default"}


def test_a_flag_wins_over_the_environment_that_over_the_file_that_over_the_default(
    project: Path,
) -> None:
    toml, environment = "depth = 20", {"EVENHAND_DEPTH": "30"}
    steps = [
        (load(project), 12, "default"),
        (load(project, toml), 20, "evenhand.toml"),
        (load(project, toml, environment), 30, "environment"),
        (load(project, toml, environment, depth="40"), 40, "flag"),
        (load(project, toml, environment, depth=None), 30, "environment"),
    ]
    assert [(one.depth, one.sources["depth"]) for one, *_ in steps] == [
        (depth, source) for _, depth, source in steps
    ]


def test_each_setting_is_read_from_each_place(project: Path) -> None:
    given = {
        "database_url": ("postgresql://host/db", "postgresql://host/db"),
        "privacy": ("redacted", PrivacyLevel.REDACTED),
        "depth": ("50", 50),
        "jobs": ("4", 4),
        "max_failed_share": ("0.25", Fraction(1, 4)),
        "retention_days": ("7", 7),
        "retention_evaluation_days": ("90", 90),
        "retention_gateway_days": ("180", 180),
        "serve_host": ("localhost", "localhost"),
        "serve_port": ("0", 0),
        "serve_public_url": ("https://hub.test/", "https://hub.test"),
        "serve_body_limit": ("1000", 1000),
        "serve_upstream_seconds": ("9", 9),
        "serve_upstream_calls": ("3", 3),
        "serve_upstream_batch": ("2", 2),
        "serve_otlp_url": ("http://collector.test:4318/", "http://collector.test:4318"),
        "serve_upstream_allow": (
            "10.0.0.0/8, localhost",
            parse_upstream_allow("10.0.0.0/8, localhost"),
        ),
        "serve_upstream_secrets": ("KEY, MY_*", parse_variable_allow("KEY, MY_*")),
        "hub_url": ("https://hub.test/base/", "https://hub.test/base"),
    }
    texts: dict[str, Any] = {name: text for name, (text, _) in given.items()}
    toml = "".join(f'{name} = "{text}"\n' for name, text in texts.items())
    environment = {f"EVENHAND_{name.upper()}": text for name, text in texts.items()}
    for settings in (
        load(project, toml),
        load(project, environment=environment),
        load(project, **texts),
    ):
        assert {name: getattr(settings, name) for name in given} == {
            name: value for name, (_, value) in given.items()
        }
    assert {*given, "token"} == set(load(project).sources)


def test_the_token_is_read_from_the_environment_only_and_never_shown(project: Path) -> None:
    settings = load(project, environment={"EVENHAND_TOKEN": CANARY})
    assert settings.token == CANARY
    assert CANARY not in repr(settings)
    for source, toml, flag in (
        ("evenhand.toml", f'token = "{CANARY}"', None),
        ("flag", "", CANARY),
    ):
        with pytest.raises(InvalidSetting, match="EVENHAND_TOKEN") as refused:
            load(project, toml, token=flag)
        assert refused.value.source == source
        assert CANARY not in "".join(traceback.format_exception(refused.value))


def test_a_token_that_no_header_can_hold_is_malformed_and_not_repeated(project: Path) -> None:
    for text in (f"{CANARY} x", f"{CANARY}\n", f"{CANARY}\u00e9"):
        with pytest.raises(InvalidSetting) as refused:
            load(project, environment={"EVENHAND_TOKEN": text})
        assert CANARY not in "".join(traceback.format_exception(refused.value))


def test_a_hub_keeps_metadata_unless_a_level_was_chosen(project: Path) -> None:
    assert load(project).hub_privacy is PrivacyLevel.METADATA
    assert load(project, 'privacy = "full"').hub_privacy is PrivacyLevel.FULL
    assert load(project, privacy="none").hub_privacy is PrivacyLevel.NONE


def test_an_empty_environment_value_is_unset(project: Path) -> None:
    settings = load(project, "depth = 20", {"EVENHAND_DEPTH": "", "EVENHAND_PRIVACY": ""})
    assert (settings.depth, settings.privacy) == (20, PrivacyLevel.FULL)


def test_an_empty_value_in_the_file_or_a_flag_is_malformed(project: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"privacy \(evenhand.toml\)"):
        load(project, 'privacy = ""')
    with pytest.raises(InvalidSetting, match=r"privacy \(flag\)"):
        load(project, privacy="")


def test_variables_of_others_are_left_alone(project: Path) -> None:
    names = ("CI", "SECRET_KEY", "SHARED", "TEST_PG_URL", "TEST_DATABASE_URL")
    environment = {f"EVENHAND_{name}": CANARY for name in names}
    settings = load(
        project, environment={**environment, "DEPTH": "99", "evenhand_depth": "99", "JOB": "2"}
    )
    assert settings.depth == 12
    assert settings.unheeded == {}


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("EVENHAND_PRIVCY", "EVENHAND_PRIVACY"),
        ("EVENHAND_PRIVACY_", "EVENHAND_PRIVACY"),
        ("EVENHAND_JOB", "EVENHAND_JOBS"),
        ("EVENHAND_depth", "EVENHAND_DEPTH"),
        ("EVENHAND_DATABASE", "EVENHAND_DATABASE_URL"),
        ("EVENHAND_MAX_FAIL_SHARE", "EVENHAND_MAX_FAILED_SHARE"),
        ("EVENHAND_RETENTION_DAY", "EVENHAND_RETENTION_DAYS"),
    ],
)
def test_a_misspelt_variable_is_refused_and_names_what_was_meant(
    project: Path, variable: str, meant: str
) -> None:
    with pytest.raises(InvalidSetting) as refused:
        load(project, environment={variable: CANARY})
    assert str(refused.value) == (
        f"{variable} (environment): is not a setting; did you mean {meant}?"
    )


@pytest.mark.parametrize(
    ("variable", "alike"),
    [
        ("EVENHAND_STAGE", ()),
        ("EVENHAND_", ()),
        ("EVENHAND_MAX_FAILED", ("EVENHAND_MAX_FAILED_SHARE",)),
    ],
)
def test_another_variable_that_begins_so_has_no_effect_and_is_kept_for_a_warning(
    project: Path, variable: str, alike: tuple[str, ...]
) -> None:
    settings = load(project, environment={variable: CANARY})
    assert settings.unheeded == {variable: alike}
    assert load(project, environment={variable: ""}).unheeded == {}
    assert CANARY not in repr(settings)


def test_a_variable_that_a_retriever_s_table_names_is_no_mistake(project: Path) -> None:
    toml = "[retrievers.mine]\nuse = 'http://host.test/'\ntoken_env = 'EVENHAND_JOB'\n"
    assert load(project, toml, {"EVENHAND_JOB": CANARY}).unheeded == {}


@pytest.mark.proves("BP-28")
@pytest.mark.parametrize(
    ("url", "level"),
    [
        ("sqlite:////tmp/some.db", PrivacyLevel.FULL),
        ("postgresql://host/db", PrivacyLevel.METADATA),
        ("postgresql+psycopg://host/db", PrivacyLevel.METADATA),
    ],
)
def test_a_database_that_others_use_too_keeps_metadata_by_default(
    project: Path, url: str, level: PrivacyLevel
) -> None:
    assert load(project, database_url=url).privacy is level
    assert load(project, database_url=url, privacy="redacted").privacy is PrivacyLevel.REDACTED
    assert load(project, 'privacy = "full"', database_url=url).privacy is PrivacyLevel.FULL


# Malformed ---------------------------------------------------------------------------------


@pytest.mark.proves("BP-28", "BP-30")
@pytest.mark.parametrize(("name", "text"), MALFORMED, ids=MALFORMED_IDS)
def test_a_malformed_value_names_setting_and_place_and_never_the_value(
    project: Path, name: str, text: str
) -> None:
    as_flag: dict[str, Any] = {name: text}
    places: dict[str, Callable[[], Settings]] = {
        "evenhand.toml": lambda: load(project, f'{name} = "{text}"'),
        "environment": lambda: load(project, environment={f"EVENHAND_{name.upper()}": text}),
        "flag": lambda: load(project, **as_flag),
    }
    for place, read in places.items():
        with pytest.raises(InvalidSetting) as refused:
            read()
        error = refused.value
        assert (error.code, error.name, error.source) == ("invalid_setting", name, place)
        assert str(error).startswith(f"{name} ({place}): must ") or "expected a decimal" in str(
            error
        )
        shown = "".join(traceback.format_exception(error))
        assert CANARY not in shown
        assert len(str(error)) < 200


@pytest.mark.proves("BP-30")
@pytest.mark.parametrize("days", ["0", "-1", "now", "1e3", "30 days"])
def test_no_retention_window_ever_means_delete_now(project: Path, days: str) -> None:
    with pytest.raises(InvalidSetting, match="must be a whole number from 1"):
        load(project, retention_days=days)
    with pytest.raises(InvalidSetting, match="must be a whole number from 1"):
        load(project, retention_evaluation_days=days)


@pytest.mark.proves("BP-30")
@pytest.mark.parametrize(
    ("toml", "days"),
    [
        ("", 30),
        ("retention_days = 7", 7),
        ("retention_evaluation_days = 90", 90),
        ("retention_days = 7\nretention_evaluation_days = 90", 90),
    ],
)
def test_requests_to_the_gateway_have_a_window_of_their_own_then_the_general_one(
    project: Path, toml: str, days: int
) -> None:
    assert load(project, toml.replace("evaluation", "gateway")).gateway_days == days


@pytest.mark.proves("BP-30")
@pytest.mark.parametrize(
    ("toml", "days"),
    [
        ("", 30),
        ("retention_days = 7", 7),
        ("retention_evaluation_days = 90", 90),
        ("retention_days = 7\nretention_evaluation_days = 90", 90),
    ],
)
def test_evaluations_have_a_window_of_their_own_then_the_general_one_then_30_days(
    project: Path, toml: str, days: int
) -> None:
    assert load(project, toml).evaluation_days == days


@pytest.mark.parametrize("toml", ["privcy = 'none'", "[database]\nurl = 'x'", "Depth = 3"])
def test_an_unknown_key_in_the_file_is_refused(project: Path, toml: str) -> None:
    with pytest.raises(InvalidSetting, match=r"evenhand.toml\): (is not a setting|must be text)"):
        load(project, toml)


def test_an_unknown_flag_is_refused(project: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"nonsense \(flag\): is not a setting"):
        load(project, nonsense="1")


@pytest.mark.parametrize(
    ("toml", "rule"),
    [
        ("depth = true", "must be text or a number"),
        ("depth = [1]", "must be text or a number"),
        ("depth = 2026-09-09", "must be text or a number"),
        ("max_failed_share = nan", "expected a decimal number"),
        ("max_failed_share = inf", "expected a decimal number"),
        ("depth = 1.5", "must be a whole number"),
    ],
)
def test_a_value_of_another_type_is_malformed(project: Path, toml: str, rule: str) -> None:
    with pytest.raises(InvalidSetting, match=rule):
        load(project, toml)


@pytest.mark.parametrize(
    ("number", "share"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("0.00001", Fraction(1, 100_000)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
    ],
)
def test_a_number_in_the_file_is_read_exactly(project: Path, number: str, share: Fraction) -> None:
    assert load(project, f"max_failed_share = {number}").max_failed_share == share


@pytest.mark.parametrize(
    "toml",
    [
        f"depth = {CANARY}",
        f"depth = '{CANARY}",
        f"depth = 1\n{CANARY}",
        "depth = 1\ndepth = 2",
        "depth = " + "1" * 5000,
        "depth = " + "[" * 20_000,
    ],
    ids=["value", "open", "statement", "twice", "long", "deep"],
)
def test_a_file_that_is_no_toml_is_refused_without_its_text(project: Path, toml: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^evenhand.toml: ") as refused:
        load(project, toml)
    assert CANARY not in "".join(traceback.format_exception(refused.value))


def test_a_file_that_is_not_utf8_is_refused(project: Path) -> None:
    (project / "evenhand.toml").write_bytes(b'privacy = "\xff"')
    with pytest.raises(InvalidSetting, match=r"^evenhand.toml: is not UTF-8$"):
        load_settings(start=project, environment={})


def test_a_file_that_cannot_be_read_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deny(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and str(arguments[0]).endswith("evenhand.toml") and denied:
            raise PermissionError(CANARY)

    # As root every file can be read; an audit hook can still say no.
    denied = [True]
    sys.addaudithook(deny)
    try:
        with pytest.raises(InvalidSetting, match=r"cannot be read \(PermissionError\)") as refused:
            load_settings(start=project, environment={})
    finally:
        denied.clear()
    assert CANARY not in "".join(traceback.format_exception(refused.value))


# Where the file lies -----------------------------------------------------------------------


@pytest.mark.parametrize("marker", ["evenhand.toml", "pyproject.toml", ".evenhand/"])
def test_the_project_root_is_the_nearest_folder_upward_with_a_marker(
    tmp_path: Path, marker: str
) -> None:
    (tmp_path / "evenhand.toml").write_text("")
    inner = tmp_path / "a" / "project"
    deep = inner / "b" / "c"
    deep.mkdir(parents=True)
    assert find_project_root(deep) == tmp_path
    if marker.endswith("/"):
        (inner / marker).mkdir()
    else:
        (inner / marker).write_text("")
    assert find_project_root(deep) == inner
    assert find_project_root(inner) == inner
    assert find_project_root(tmp_path / "a") == tmp_path


def test_without_a_marker_the_root_is_where_one_stands(tmp_path: Path) -> None:
    top = Path(tmp_path.anchor)
    assert find_project_root(top) == top


def test_settings_may_stand_in_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'x'\n[tool.evenhand]\ndepth = 20\n"
        "[tool.evenhand.retrievers.mine]\nuse = 'm:a'\n"
    )
    settings = load_settings(start=tmp_path, environment={})
    assert settings.depth == 20
    assert settings.sources["depth"] == "pyproject.toml [tool.evenhand]"
    assert settings.retrievers == {"mine": {"use": "m:a"}}


def test_a_malformed_value_in_pyproject_names_the_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.evenhand]\nprivacy = '{CANARY}'\n")
    with pytest.raises(
        InvalidSetting, match=r"privacy \(pyproject.toml \[tool.evenhand\]\): must be one of"
    ) as refused:
        load_settings(start=tmp_path, environment={})
    assert CANARY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "text", ["", "[project]\nname = 'x'\n", "[tool.other]\nx = 1\n", "tool = 1"]
)
def test_a_pyproject_of_others_configures_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    settings = load_settings(start=tmp_path, environment={})
    assert settings.project_root == tmp_path
    assert set(settings.sources.values()) == {"default"}


def test_a_table_of_another_type_in_pyproject_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\nevenhand = 1\n")
    with pytest.raises(InvalidSetting, match=r"tool.evenhand \(pyproject.toml\): must be a table"):
        load_settings(start=tmp_path, environment={})


def test_a_file_of_its_own_wins_over_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.evenhand]\ndepth = 20\njobs = 9\n")
    settings = load(tmp_path, "depth = 30")
    assert (settings.depth, settings.jobs) == (30, 1)


def test_retriever_tables_are_handed_down_as_they_were_written(project: Path) -> None:
    settings = load(project, "[retrievers.a]\nuse = 'm:f'\nlimit = 0.5\n[retrievers.b]\n")
    assert settings.retrievers == {"a": {"use": "m:f", "limit": 0.5}, "b": {}}


@pytest.mark.parametrize(
    ("toml", "name"),
    [("retrievers = 1", "retrievers"), ("[retrievers]\nmine = 'x'", "retrievers.mine")],
)
def test_retrievers_must_be_tables(project: Path, toml: str, name: str) -> None:
    with pytest.raises(InvalidSetting, match=r"\(evenhand.toml\): must be tables") as refused:
        load(project, toml)
    assert refused.value.name == name


def test_the_state_folder_lies_under_the_root(project: Path) -> None:
    assert load(project).state_folder == project / ".evenhand"


# The environment itself --------------------------------------------------------------------


def test_by_default_the_working_directory_and_the_process_s_environment_are_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("EVENHAND_DEPTH", "77")
    settings = load_settings()
    assert (settings.project_root, settings.depth) == (project, 77)


def test_a_secret_is_read_by_the_name_that_a_configuration_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", CANARY)
    monkeypatch.delenv("NO_KEY", raising=False)
    assert environment_secret("MY_KEY") == CANARY
    assert environment_secret("NO_KEY") is None
