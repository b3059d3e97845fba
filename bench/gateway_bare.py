"""A hub that keeps no rows: what evidence costs is measured against it, and it is good for nothing else.

No setting of the hub does this. Here the one thing that keeps rows is replaced before the hub is
started by its own command line.
"""

from evenhand.cli.main import main
from evenhand.hub.keeper import Keeper


async def _keep_nothing(*_: object, **__: object) -> None:
    """What would wait for a commit goes on at once."""


if __name__ == "__main__":
    Keeper.keep = _keep_nothing
    main()
