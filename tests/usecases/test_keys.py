"""The keys of an installation: one for each purpose, made once or derived from the operator's."""

import pytest

from evenhand.store.uow import Database
from evenhand.usecases.keys import CONSOLE, PSEUDONYM, InstallationKey, installation_key
from tests.usecases.access_parts import CountingSecrets


def keys(database: Database, given: str | None, *purposes: str) -> list[InstallationKey]:
    secrets = CountingSecrets()
    return [
        database.run(
            lambda uow, purpose=purpose: installation_key(  # type: ignore[misc]
                uow, secrets, given, purpose=purpose
            )
        )
        for purpose in purposes
    ]


@pytest.mark.proves("E-20")
def test_a_key_is_made_once_and_no_two_purposes_share_one(database: Database) -> None:
    first, again, other = keys(database, None, PSEUDONYM, PSEUDONYM, CONSOLE)

    assert first == again
    assert first.version == other.version == "1"
    assert len(first.value) == len(other.value) == 32
    assert first.value != other.value


def test_the_operator_s_secret_gives_each_purpose_a_key_of_its_own(database: Database) -> None:
    pseudonym, console = keys(database, "operator-secret", PSEUDONYM, CONSOLE)
    [elsewhere] = keys(database, "another-secret", PSEUDONYM)

    assert len({pseudonym.value, console.value, elsewhere.value}) == 3
    assert pseudonym.version.startswith("env-")
    assert "operator-secret" not in repr(pseudonym)
    # It is kept nowhere: whoever sets the same secret has the same key.
    assert database.read(lambda uow: uow.instance_secrets.find_latest(PSEUDONYM)) is None


def test_a_key_shows_no_value(database: Database) -> None:
    [key] = keys(database, None, CONSOLE)

    assert repr(key) == "InstallationKey(version='1')"
