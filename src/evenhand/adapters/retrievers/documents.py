"""Which documents do the built-in retrievers search, and under which corpus label?

A document is searched as its title, a line feed and its text; where it has no title, as its text.
The label is computed from the very documents that are searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.adapters.formats.corpus import CorpusDocument, read_corpus
from evenhand.adapters.retrievers.context import RetrieverContext
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.identity.canonical import to_text
from evenhand.core.identity.corpus import CorpusDigest, DocumentIdentity, content_sha256

#: Name of the rule by which a document becomes the text that is searched.
TEXT_RULE: Final = "title-lf-text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """A corpus, ready to be searched.

    Attributes:
        label: digest of the corpus (``corpus-bytes-v1``).
        ids: document ids in byte order, so that equal scores in order of position are in order
            of id. Bytes that are not UTF-8 are surrogates.
        texts: what is searched, beside the ids.
    """

    label: str
    ids: Sequence[str]
    texts: Sequence[str]


def load_documents(context: RetrieverContext) -> Documents:
    """The documents of the corpus at hand.

    Raises:
        InvalidSetting: there is no corpus at hand.
        InvalidFile: the corpus cannot be read.
        InvalidCorpus: it holds no document, or is not the corpus that was expected.
    """
    if context.corpus is None:
        rule = "is needed by a built-in retriever: name a folder or file that holds the documents"
        raise InvalidSetting("corpus", rule)
    documents = build_documents(read_corpus(context.corpus, context.corpus_scope))
    if context.corpus_label not in (None, documents.label):
        raise InvalidCorpus("has changed: its digest is not the one that was expected")
    return documents


def build_documents(documents: Iterable[CorpusDocument]) -> Documents:
    """Documents in any order, sorted and digested.

    Raises:
        InvalidCorpus: there is none, or an id occurs twice.
    """
    ordered = sorted(documents, key=lambda document: document.id)
    if not ordered:
        raise InvalidCorpus("holds no document")
    digest = CorpusDigest()
    for document in ordered:
        digest.add(
            DocumentIdentity(
                id=document.id,
                content_sha256=content_sha256(document.title, document.text),
                scope=document.scope,
            )
        )
    return Documents(
        label=digest.hexdigest(),
        ids=tuple(to_text(document.id) for document in ordered),
        texts=tuple(searched_text(document) for document in ordered),
    )


def searched_text(document: CorpusDocument) -> str:
    """What is searched of a document; half surrogate pairs, which no library takes, as ``?``."""
    text = f"{document.title}\n{document.text}" if document.title else document.text
    return without_surrogates(text)


def without_surrogates(text: str) -> str:
    """Text that can be encoded: each lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
