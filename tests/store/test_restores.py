"""A database in which a restore was begun and not finished serves nobody."""
# ruff: noqa: S608 -- constants of this file

from collections.abc import Callable

import pytest

from evenhand.core.errors.database import DatabaseNotReady
from evenhand.store.archive.write import read_digests
from evenhand.store.migrate import (
    check,
    downgrade,
    ensure_ready,
    is_ready,
    require_current_lineage,
    upgrade,
)
from tests.migrations.conftest import NOW
from tests.store.archive.conftest import backup

Execute = Callable[..., None]

ENTRANCES: dict[str, Callable[[str], object]] = {
    "ensure_ready": ensure_ready,
    "is_ready": is_ready,
    "require_current_lineage": require_current_lineage,
    "upgrade": upgrade,
    "downgrade": lambda url: downgrade(url, "base"),
    "backup": backup,
    "read_digests": read_digests,
}


def marked(state: str) -> str:
    digest = "NULL" if state == "loaded" else f"'{'0' * 64}'"
    return (
        "INSERT INTO restore_marker VALUES ('01990000-0000-7000-f000-000000000001',"
        f" '{NOW}', 'a', '{'0' * 64}', '20260902_0010', '0', '{NOW}', '{state}', '[]', {digest})"
    )


@pytest.mark.proves("G-61")
@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_it_is_refused_by_every_entrance(
    database_url: str, execute: Execute, entrance: Callable[[str], object]
) -> None:
    execute(marked("loaded"))
    with pytest.raises(DatabaseNotReady) as refused:
        entrance(database_url)
    assert refused.value.code == "restore_unfinished"
    assert "evenhand db restore with the same archive" in str(refused.value)


def test_the_check_reports_it_as_a_finding(database_url: str, execute: Execute) -> None:
    execute(marked("loaded"))
    (finding,) = check(database_url)
    assert (finding.code, finding.subject) == ("restore_unfinished", "restore")


def test_one_that_was_finished_is_used_as_any_other(database_url: str, execute: Execute) -> None:
    execute(marked("finished"))
    assert check(database_url) == []
    assert is_ready(database_url)
    require_current_lineage(database_url)
