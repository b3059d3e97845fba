"""How is an object kept, changed and told of? What the verbs of all nouns share."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.registry.registered import UNSET, Changeable, Noun, Registered
from evenhand.usecases.ports import Ids, RegisteredRepository, UnitOfWork

Kept = TypeVar("Kept", bound=Registered)
Changed = TypeVar("Changed", bound=Changeable)

_AND: Final = "_and_"


class Keeper:
    """Writes objects of one kind in one transaction, each with its entry of the audit.

    Args:
        uow: an open transaction.
        noun: which kind.
        actor: who asks.
        ids: of the rows.
    """

    def __init__(self, uow: UnitOfWork, noun: Noun, *, actor: Actor, ids: Ids) -> None:
        self._uow = uow
        self._noun = noun
        self._actor = actor
        self._ids = ids

    def stamp(self) -> dict[str, Any]:
        """Id and time of a new object."""
        return {"id": self._ids.new(), "created_at": self._uow.now()}

    def add(
        self, into: RegisteredRepository[Kept], made: Kept, *, related_id: str | None = None
    ) -> Kept:
        """Keep a new object.

        Args:
            into: where it is kept.
            made: the object.
            related_id: what else the audit names.

        Raises:
            NameTaken: another has its name.
        """
        into.add(made)
        self._tell("create", made, None, None, related_id)
        return made

    def change(
        self,
        into: RegisteredRepository[Changed],
        former: Changed,
        *,
        expected_version: int,
        related_id: str | None = None,
        **values: object,
    ) -> Changed:
        """Keep the next version of an object; where nothing differs nothing is written.

        Args:
            into: where it is kept.
            former: the object as it is.
            expected_version: the version that the caller saw.
            related_id: what else the audit names.
            values: by attribute; `UNSET` leaves one as it is.

        Raises:
            VersionConflict: it has another version.
            Invalid: a value breaks a rule.
        """
        made = former.changed(expected_version=expected_version, **values)
        if made is former:
            return former
        into.save(made)
        stated = [name for name, to in values.items() if to is not UNSET]
        differ = [name for name in stated if getattr(former, name) != getattr(made, name)]
        self._tell("change", made, former.state, _AND.join(sorted(differ)), related_id)
        return made

    def _tell(
        self,
        action: str,
        made: Registered,
        before: str | None,
        code: str | None,
        related_id: str | None,
    ) -> None:
        self._uow.audit.add(
            AuditEntry(
                id=self._ids.new(),
                # A new object and its entry have one time, not two readings of the clock.
                at=made.created_at if before is None else self._uow.now(),
                actor=self._actor,
                action=action,
                object_kind=self._noun.value,
                object_id=made.id,
                from_state=before,
                to_state=made.state,
                code=code,
                version=made.version if isinstance(made, Changeable) else None,
                related_id=related_id,
            )
        )


def referred(found: Kept | None, noun: Noun, *, project_id: str | None = None) -> Kept:
    """What a reference leads to.

    Args:
        found: what was found; None for nothing.
        noun: which kind was named.
        project_id: whose it must be; None where it may be anybody's.

    Raises:
        ReferenceRefused: nothing, something of another project (both alike), or something that is
            not active.
    """
    if found is None:
        raise ReferenceRefused(noun.value)
    if project_id is not None and getattr(found, "project_id", None) != project_id:
        raise ReferenceRefused(noun.value)
    if isinstance(found, Changeable) and not found.active:
        raise ReferenceRefused(noun.value, is_known=True)
    return found
