"""Which variables of its environment may a hub read for an upstream? Those that are permitted.

Whoever registers a runtime names the variable with its secret and the server that is sent it. So
a name alone must not be enough: the one who starts a hub lists what may be sent to upstreams
(`serve_upstream_secrets`), and Evenhand's own variables are never among it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors import InvalidText

#: How the variables of Evenhand itself begin: its database with a password, its token.
OWN_PREFIX: Final = "EVENHAND_"
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,127}")
_ANY_REST: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableAllow:
    """What a hub may read for its upstreams.

    Attributes:
        names: of variables, as they are spelt.
        prefixes: how the names of further ones begin; none is empty.
    """

    names: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    def permits(self, name: str) -> bool:
        """Whether a variable may be read. One of Evenhand's own never may."""
        if name.startswith(OWN_PREFIX):
            return False
        return name in self.names or name.startswith(self.prefixes)


#: No variable at all.
NO_VARIABLES: Final = VariableAllow()


def require_variable(name: str, field: str) -> None:
    """Let the name of a variable through that may be registered.

    Args:
        name: of the variable.
        field: what an error names.

    Raises:
        InvalidText: it has another shape, or is one of Evenhand's own; it is not repeated.
    """
    if not _VARIABLE.fullmatch(name):
        rule = "must be the name of a variable: capital letters, digits and underscores"
        raise InvalidText(field, rule)
    if name.startswith(OWN_PREFIX):
        rule = f"must not begin with {OWN_PREFIX}: such a variable is of Evenhand itself"
        raise InvalidText(field, rule)


def parse_variable_allow(text: str) -> VariableAllow:
    """What a list permits, such as ``EMBEDDINGS_KEY, UPSTREAM_*``.

    Args:
        text: names, and beginnings of names with ``*`` behind them, between commas; empty
            permits nothing.

    Raises:
        InvalidText: an entry is neither, or is of Evenhand itself; it is named by its position
            from 1 and not repeated.
    """
    names: set[str] = set()
    prefixes: list[str] = []
    for position, entry in enumerate(filter(None, map(str.strip, text.split(","))), start=1):
        bare = entry.removesuffix(_ANY_REST)
        require_variable(bare, f"entry {position}")
        if bare == entry:
            names.add(entry)
        else:
            prefixes.append(bare)
    return VariableAllow(names=frozenset(names), prefixes=tuple(prefixes))
