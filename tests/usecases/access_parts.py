"""Who asks, and where tokens come from, for the tests of access."""

from evenhand.core.access.credential import Credential
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.store.uow import Database
from evenhand.usecases import access
from evenhand.usecases.access import Issued
from tests.usecases.conftest import CountingIds

SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)


class CountingSecrets:
    """Random parts that are not random: each its own number."""

    def __init__(self) -> None:
        self._number = 0

    def new(self) -> bytes:
        self._number += 1
        return self._number.to_bytes(32, "big")


class Parts:
    """The use cases of access on one database, each in a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.ids = CountingIds()
        self.secrets = CountingSecrets()

    def create(
        self, name: str = "ci", role: Role = Role.VIEWER, actor: Actor = SOMEBODY
    ) -> Issued:
        return self.database.run(
            lambda uow: access.create(
                uow, name=name, role=role, actor=actor, ids=self.ids, secrets=self.secrets
            )
        )

    def create_first(self) -> Issued | None:
        return self.database.run(
            lambda uow: access.create_first(uow, ids=self.ids, secrets=self.secrets)
        )

    def rotate(self, reference: str, actor: Actor = SOMEBODY) -> Issued:
        return self.database.run(
            lambda uow: access.rotate(
                uow, reference, actor=actor, ids=self.ids, secrets=self.secrets
            )
        )

    def revoke(self, reference: str, actor: Actor = SOMEBODY) -> Credential:
        return self.database.run(
            lambda uow: access.revoke(uow, reference, actor=actor, ids=self.ids)
        )
