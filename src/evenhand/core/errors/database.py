"""Why can a database or an archive of one not be used? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Conflict, EvenhandError, InvalidFile


class InvalidArchive(InvalidFile):
    """A file is no archive of a database, or not a whole one. Names member, line and rule."""

    code = "invalid_archive"

    def __init__(
        self, file: str, rule: str, *, member: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(file if member is None else f"{file}, {member}", rule, line=line)
        self.member = member


class ArchiveRefused(Conflict):
    """An archive that is whole cannot be loaded into this database; nothing was changed."""

    code = "database_not_empty"

    def __init__(self, why: str, *, code: str = "database_not_empty") -> None:
        super().__init__(f"{why}; nothing was changed")
        self.why = why
        self.code = code


class ConstraintRefused(Conflict):
    """The database refused a write: a constraint or a guard of a table, by its name."""

    code = "constraint_refused"

    def __init__(self, constraint: str) -> None:
        super().__init__(f"the database refused the write: {constraint}")
        self.constraint = constraint


class DowngradeBlocked(Conflict):
    """A schema downgrade would lose rows; nothing was changed."""

    code = "downgrade_blocked"

    def __init__(self, tables: tuple[str, ...]) -> None:
        super().__init__(f"the downgrade would lose rows of: {', '.join(tables)}")
        self.tables = tables


class DatabaseUnavailable(EvenhandError):
    """The database cannot be reached, is locked for too long, or cannot be read."""

    code = "database_unavailable"

    def __init__(self, why: str, *, code: str = "database_unavailable") -> None:
        super().__init__(why)
        self.why = why
        self.code = code


class DatabaseNotReady(EvenhandError):
    """The database cannot be used as it is; the message names the command that helps."""

    code = "database_behind"

    def __init__(self, why: str, *, code: str = "database_behind") -> None:
        super().__init__(why)
        self.why = why
        self.code = code
