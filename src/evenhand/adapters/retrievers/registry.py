"""Which retriever does a reference name? Tried in this order, the first that fits wins.

1. a configured name; 2. an entry point of the group ``evenhand.retrievers``; 3. a built-in;
4. ``http://`` or ``https://``; 5. ``cmd:`` and a command; 6. ``module:attribute``; 7. the path of
a TREC run file.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.modules import is_module_reference
from evenhand.adapters.retrievers.context import (
    Declaration,
    RetrieverConfig,
    RetrieverContext,
    option_name,
    read_configs,
)
from evenhand.adapters.retrievers.fusion import (
    FUSION,
    FusionOptions,
    FusionRetriever,
    require_fusion_options,
    unconfigured_fusion,
)
from evenhand.adapters.retrievers.labels import find_path, paste_lines
from evenhand.adapters.retrievers.loading import (
    as_retriever,
    load_entry_point,
    load_reference,
    reference_of,
)
from evenhand.adapters.retrievers.names import BUILT_IN, ENTRY_POINT_GROUP, RetrieverNames
from evenhand.adapters.retrievers.options import read_options
from evenhand.adapters.retrievers.outside import COMMAND, URLS, open_command, open_url
from evenhand.adapters.retrievers.places import placed
from evenhand.adapters.retrievers.run_file import RunFileRetriever
from evenhand.adapters.retrievers.wrapped import (
    REQUIRED_LABELS,
    WrappedRetriever,
    imported_provenance,
    require_agreement,
    stated_provenance,
)
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import RetrieverNotFound
from evenhand.core.identity.provenance import RetrievalProvenance, take_provenance
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import Retriever

__all__ = [
    "BUILT_IN",
    "ENTRY_POINT_GROUP",
    "Declaration",
    "RetrieverConfig",
    "RetrieverContext",
    "RetrieverRegistry",
    "adapt",
    "basis_of",
    "paste_lines",
    "read_configs",
    "resolve",
]

_NOTHING_FITS: Final = (
    "it is no configured name, entry point, built-in, URL, cmd:, module:attribute or run file"
)


class _NoOptions(msgspec.Struct, forbid_unknown_fields=True):
    """What is loaded as it is has no options."""


def resolve(reference: str, context: RetrieverContext) -> Retriever:
    """The retriever that a reference names, with a declaration where one is known.

    Nothing is asked of it yet. Close it at the end where it has ``close``.

    Args:
        reference: as typed; see the module.
        context: what resolution needs to know.

    Raises:
        RetrieverNotFound: nothing has this name, or what has it is no retriever; lists the known.
        DuplicateIdentifier: two things claim one name.
        InvalidSetting: an option is wrong, or a label contradicts the retriever's own.
        InvalidLabel: a label breaks the label rule.
        InvalidFile, InvalidCorpus: a run file or a corpus cannot be read.
        MissingExtra: it needs an optional part.
        ProvenanceFailed: its own declaration was asked for, to check labels, and failed.
    """
    return RetrieverRegistry(context).resolve(reference)


def adapt(retriever: object, context: RetrieverContext) -> Retriever:
    """The retriever that a Python program hands over: an object, a function, or a reference.

    A plain function is looked up in the configuration as ``module:attribute``, and otherwise
    named so.

    Raises:
        RetrieverNotFound: it is none of these; as for `resolve`.
    """
    registry = RetrieverRegistry(context)
    if isinstance(retriever, str | Path):
        return registry.resolve(str(retriever))
    return registry.adapt(retriever)


def basis_of(retriever: Retriever) -> Basis:
    """Who saw the rankings come into being: ``imported`` for a run file, else ``local``."""
    if isinstance(retriever, RunFileRetriever | WrappedRetriever | FusionRetriever):
        return retriever.basis
    return Basis.LOCAL


class RetrieverRegistry:
    """The names that one context knows.

    Args:
        context: what resolution needs to know.
        above: names that are being resolved, of which this one is a part.

    Raises:
        DuplicateIdentifier: see `RetrieverNames`.
    """

    def __init__(self, context: RetrieverContext, *, above: tuple[str, ...] = ()) -> None:
        self._context = context
        self._above = above
        self._names = RetrieverNames(context)

    def resolve(self, reference: str) -> Retriever:
        """See the function `resolve`."""
        name = self._names.configured_name(reference)
        if name is None:
            if reference == FUSION:
                raise unconfigured_fusion(self._context.config_file)
            return self._open(None, RetrieverConfig(use=reference))
        config = self._names.config(name)
        with placed(name, config, self._context):
            return self._open(name, config)

    def adapt(self, retriever: object) -> Retriever:
        """See the function `adapt`; not for a reference."""
        reference = reference_of(retriever)
        inner = as_retriever(retriever, reference)
        name = None
        stated = self._context.declared or Declaration()
        if callable(retriever) and not isinstance(retriever, Retriever):
            name = self._names.configured_name(reference)
        if name is None:
            return self._finished(inner, name, stated)
        config = self._names.config(name)
        with placed(name, config, self._context):
            return self._finished(inner, name, stated.over(config.declaration))

    def _open(self, name: str | None, config: RetrieverConfig) -> Retriever:
        use = config.use
        stated = (self._context.declared or Declaration()).over(config.declaration)
        if use in BUILT_IN:
            return self._built_in(name or use, config, stated)
        if use.startswith(URLS):
            inner = open_url(name, use, config.options, self._context)
        elif use.startswith(COMMAND):
            inner = open_command(name, use, config.options, self._context)
        else:
            read_options(name or use, config.options, _NoOptions)
            inner = self._loaded(use)
        return self._finished(inner, name, stated)

    def _loaded(self, use: str) -> Retriever:
        root = self._context.project_root
        entry = self._names.entry_point(use)
        if entry is not None:
            return load_entry_point(entry)
        if is_module_reference(use):
            return load_reference(use, root)
        path = find_path(use, root)
        if path is None or not path.is_file():
            raise RetrieverNotFound(use, self._names.known, why=_NOTHING_FITS)
        return RunFileRetriever(path)

    def _built_in(self, name: str, config: RetrieverConfig, stated: Declaration) -> Retriever:
        context = self._context
        if stated.corpus is not None:
            path = find_path(stated.corpus, context.project_root)
            if path is not None:
                # What is searched, and its digest is computed from what is searched.
                context = replace(context, corpus=path)
                stated = replace(stated, corpus=None)
        if config.use == FUSION:
            inner: Retriever = self._fusion(name, config.options, context)
        else:
            inner = _build(config.use, name, config.options, context)
        with ExitStack() as stack:
            _close_later(inner, stack)
            finished = self._finished(inner, None, stated)
            stack.pop_all()
        return finished

    def _fusion(
        self, name: str, table: Mapping[str, object], context: RetrieverContext
    ) -> FusionRetriever:
        options = read_options(name, table, FusionOptions)
        require_fusion_options(name, options)
        above = (*self._above, name)
        if set(options.retrievers) & set(above):
            raise InvalidSetting(option_name(name, "retrievers"), "leads back to itself")
        parts = RetrieverRegistry(
            replace(context, depth=options.candidates, declared=None), above=above
        )
        with ExitStack() as stack:
            components: dict[str, Retriever] = {}
            for part in options.retrievers:
                components[part] = parts.resolve(part)
                _close_later(components[part], stack)
            fused = FusionRetriever(
                name,
                components,
                options,
                depth=context.depth,
                bases=[basis_of(component) for component in components.values()],
            )
            stack.pop_all()
        return fused

    def _finished(self, inner: Retriever, name: str | None, stated: Declaration) -> Retriever:
        """Under its name, with a declaration where one is stated and none is its own."""
        provenance = self._provenance(inner, stated)
        identifier = name or inner.identifier
        if provenance is None and identifier == inner.identifier:
            return inner
        return WrappedRetriever(
            inner,
            identifier=identifier,
            provenance=provenance,
            basis=basis_of(inner),
            corpus_digested=provenance is not None and self._names_a_path(stated.corpus),
        )

    def _names_a_path(self, corpus: str | None) -> bool:
        return corpus is not None and find_path(corpus, self._context.project_root) is not None

    def _provenance(self, inner: Retriever, stated: Declaration) -> RetrievalProvenance | None:
        context = self._context
        root, scope = context.project_root, context.corpus_scope
        if isinstance(inner, RunFileRetriever):
            return imported_provenance(
                stated, inner.sha256, root=root, depth=context.depth, scope_field=scope
            )
        if stated.is_empty:
            return None
        own = take_provenance(inner)
        if own is not None:
            require_agreement(own, stated, root=root, scope_field=scope)
            return own
        missing = [label for label in REQUIRED_LABELS if getattr(stated, label) is None]
        if missing:
            context.tell(
                f"the declaration of {inner.identifier} lacks {', '.join(missing)}: "
                "its provenance is unknown"
            )
            return None
        return stated_provenance(
            stated, root=root, depth=context.depth, scope_field=scope, tell=context.tell
        )


def _build(
    kind: str, name: str, options: Mapping[str, object], context: RetrieverContext
) -> Retriever:
    # Imported on use: each needs a library that takes long to load.
    if kind == "lexical":
        from evenhand.adapters.retrievers.lexical import build_lexical

        return build_lexical(name, options, context)
    if kind == "bm25":
        from evenhand.adapters.retrievers.bm25 import build_bm25

        return build_bm25(name, options, context)
    from evenhand.adapters.retrievers.dense import build_dense

    return build_dense(name, options, context)


def _close_later(retriever: Retriever, stack: ExitStack) -> None:
    if callable(close := getattr(retriever, "close", None)):
        stack.callback(close)
