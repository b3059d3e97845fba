"""The ledger of decisions that rest on a golden set: written once, never changed."""

from __future__ import annotations

from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.comparison.set_use import SetUse, SetUseCounts, SetUseKind
from evenhand.store.tables import set_use
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text

_ids_decoder: Final = msgspec.json.Decoder(tuple[str, ...])


class SqlSetUses:
    """The ledger in one open transaction; implements `ports.SetUseRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, use: SetUse) -> None:
        """Note one decision.

        Raises:
            ConstraintRefused: the id is taken.
            InvalidText: a text that a database cannot hold.
        """
        for one in use.evaluation_ids:
            require_storable(one, "evaluation_ids")
        self._connection.execute(
            set_use.insert().values(
                id=use.id,
                at=time_to_text(use.at),
                labels_fingerprint=use.labels_fingerprint,
                set_identifier=require_storable(use.set_identifier, "set_identifier"),
                kind=use.kind.value,
                evaluation_ids=msgspec.json.encode(use.evaluation_ids).decode(),
                conclusion=use.conclusion,
            )
        )

    def count(self, labels_fingerprint: str) -> SetUseCounts:
        """How many decisions rest on sets with these labels."""
        if not is_storable(labels_fingerprint):
            return SetUseCounts(by_kind={})
        rows = self._connection.execute(
            sa.select(set_use.c.kind, sa.func.count())
            .where(set_use.c.labels_fingerprint == labels_fingerprint)
            .group_by(set_use.c.kind)
        )
        found = {SetUseKind(kind): number for kind, number in rows}
        return SetUseCounts(by_kind={kind: found[kind] for kind in SetUseKind if kind in found})

    def list_latest(self, labels_fingerprint: str, limit: int) -> tuple[SetUse, ...]:
        """Newest first, at most ``limit``."""
        if not is_storable(labels_fingerprint):
            return ()
        rows = self._connection.execute(
            sa.select(set_use)
            .where(set_use.c.labels_fingerprint == labels_fingerprint)
            .order_by(set_use.c.at.desc(), set_use.c.id.desc())
            .limit(limit)
        ).mappings()
        return tuple(map(row_to_use, rows))


def row_to_use(row: RowMapping) -> SetUse:
    """The entry of a row.

    Raises:
        Invalid, ValueError, msgspec.DecodeError: it is not what was written.
    """
    return SetUse(
        id=row["id"],
        at=text_to_time(row["at"]),
        labels_fingerprint=row["labels_fingerprint"],
        set_identifier=row["set_identifier"],
        kind=SetUseKind(row["kind"]),
        evaluation_ids=_ids_decoder.decode(row["evaluation_ids"]),
        conclusion=row["conclusion"],
    )
