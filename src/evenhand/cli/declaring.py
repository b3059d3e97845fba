"""Which lines would declare what a retriever runs? For a verdict that is unknown."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.adapters.retrievers.context import Declaration
    from evenhand.bootstrap import App


def declaration_lines(app: App, declared: Declaration | None, typed: str, name: str) -> str:
    """The lines that would declare what the retriever runs, in the file where they belong.

    Args:
        app: the wired parts.
        declared: labels given by flags, None when there were none.
        typed: what named the retriever.
        name: its identifier.
    """
    from evenhand.adapters.retrievers.context import Declaration, read_configs
    from evenhand.adapters.retrievers.labels import missing_lines, paste_lines, toml_key

    settings = app.settings
    stated = declared or Declaration()
    config = read_configs(settings.retrievers).get(name)
    if config is None:
        lines = paste_lines(name, typed, table=settings.retriever_table, stated=asdict(stated))
        return f"# in {settings.config_file}\n{lines}"
    # Its table is there already, and a second one of its name would be no TOML.
    missing = missing_lines(asdict(stated.over(config.declaration)))
    table = f"[{settings.retriever_table}.{toml_key(name)}]"
    return missing and f"# in {settings.config_file}, under {table}\n{missing}"
