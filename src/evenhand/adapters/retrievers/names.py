"""Which names of retrievers does a context know, and what does each stand for?"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
from evenhand.adapters.modules import is_module_reference
from evenhand.adapters.retrievers.context import Declaration, RetrieverConfig, RetrieverContext
from evenhand.adapters.retrievers.fusion import FUSION
from evenhand.adapters.retrievers.labels import find_path
from evenhand.core.errors import DuplicateIdentifier, Invalid

ENTRY_POINT_GROUP: Final = "evenhand.retrievers"
BUILT_IN: Final = ("lexical", "bm25", "dense", "fusion")


class RetrieverNames:
    """The configured, registered and built-in names of a context.

    Args:
        context: where they come from.

    Raises:
        DuplicateIdentifier: two entry points have one name, or an entry point or a configuration
            takes the name of something else. A configuration may be named after what it uses.

    Source: statement BP-06.
    """

    def __init__(self, context: RetrieverContext) -> None:
        self._root = context.project_root
        self._configured = context.configured
        self._registered = _registered(context)
        for name, config in self._configured.items():
            if config.use != name and (name in BUILT_IN or name in self._registered):
                error = DuplicateIdentifier("retriever", name)
                error.place = context.config_file.place(name, "use")
                raise error

    @property
    def known(self) -> tuple[str, ...]:
        """All names that can be typed: configured, registered, built in."""
        plain = (name for name in BUILT_IN if name != FUSION)
        return tuple(dict.fromkeys((*self._configured, *self._registered, *plain)))

    def entry_point(self, name: str) -> EntryPoint | None:
        """What an installed distribution registers under a name."""
        return self._registered.get(name)

    def configured_name(self, reference: str) -> str | None:
        """The configured name that a reference is, or else the only one that uses just it.

        So the lines that an unknown verdict shows take effect on the very command that was typed.
        """
        if reference in self._configured:
            return reference
        if reference in BUILT_IN or reference in self._registered:
            return None
        users = [name for name, config in self._configured.items() if config.use == reference]
        return users[0] if len(users) == 1 else None

    def config(self, name: str) -> RetrieverConfig:
        """The configuration of a name; its paths count from the project root, wherever one is."""
        config = self._configured[name]
        stated = config.declaration
        if stated.corpus is not None and (self._root / stated.corpus).exists():
            stated = replace(stated, corpus=str(self._root / stated.corpus))
        use = config.use
        is_name = use in BUILT_IN or use in self._registered or is_module_reference(use)
        if not is_name and (self._root / use).is_file():
            use = str(self._root / use)
        return replace(config, use=use, declaration=stated)


def corpus_at_hand(reference: str, context: RetrieverContext, *, is_declared: bool) -> Path | None:
    """The corpus that a reference is said to search, where a path says it; None where none does.

    Args:
        reference: as typed.
        context: its flags go before the configuration, and what either names as a path before
            the corpus that came with the golden set.
        is_declared: whether the retriever said what it runs, so that its corpus was read.

    Raises:
        DuplicateIdentifier: see `RetrieverNames`.
    """
    names = RetrieverNames(context)
    name = names.configured_name(reference)
    stated = context.declared or Declaration()
    if name is not None:
        stated = stated.over(names.config(name).declaration)
    path = None if stated.corpus is None else find_path(stated.corpus, context.project_root)
    if path is None or (not is_declared and not _is_corpus(path)):
        return context.corpus
    return path


def _is_corpus(path: Path) -> bool:
    # Nobody has read it where the declaration lacks something else: no reason to lose a run.
    try:
        corpus_digest_of(path)
    except Invalid:
        return False
    return True


def _registered(context: RetrieverContext) -> dict[str, EntryPoint]:
    found = context.registered
    if found is None:
        found = tuple(entry_points(group=ENTRY_POINT_GROUP))
    registered: dict[str, EntryPoint] = {}
    for entry in found:
        if entry.name in BUILT_IN or registered.setdefault(entry.name, entry) != entry:
            raise DuplicateIdentifier("retriever", entry.name)
    return registered
