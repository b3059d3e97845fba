"""What speaks against fresh results themselves? The corpus at hand, the checkout, repetition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.bootstrap import App
    from evenhand.cli.experiment import Together
    from evenhand.core.comparison.checks import SelfCheck, Which
    from evenhand.core.comparison.side import Side
    from evenhand.core.identity.stored import StoredIdentity
    from evenhand.core.retrieval.ranking import StoredRanking
    from evenhand.core.scoring.evaluation import Evaluation

_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def corpus_checks(
    app: App, sides: Sequence[tuple[Path | None, Which, Side]]
) -> list[list[SelfCheck]]:
    """For each side what speaks against it beside the corpus at hand; nothing without one.

    A corpus is read once for all sides that are said to search it.

    Args:
        app: the wired parts.
        sides: each with its corpus, None where none is at hand, and its role.

    Raises:
        InvalidFile: a corpus breaks a rule.
    """
    found: list[list[SelfCheck]] = [[] for _ in sides]
    for corpus in dict.fromkeys(corpus for corpus, _, _ in sides):
        here = [number for number, side in enumerate(sides) if side[0] == corpus]
        outside = outside_checks(corpus, [(sides[n][1], sides[n][2].rankings) for n in here])
        moved = label_checks(app, corpus, [(sides[n][1], sides[n][2].identity) for n in here])
        for number, one, other in zip(here, outside, moved, strict=True):
            found[number] = one + other
    return found


def outside_checks(
    corpus: Path | None, rankings: Sequence[tuple[Which, tuple[StoredRanking, ...] | None]]
) -> list[list[SelfCheck]]:
    """For each side what came back that the corpus does not hold; none without a corpus.

    The corpus is read once, and only ids that came back are held.

    Args:
        corpus: a corpus or a manifest, None where none is at hand.
        rankings: of each side, with its role; None where they are not at hand.

    Raises:
        InvalidFile: the corpus breaks a rule.
    """
    from evenhand.core.comparison.checks import outside_corpus

    if corpus is None or not corpus.exists():
        return [[] for _ in rankings]
    wanted = {
        document
        for _, listed in rankings
        for ranking in listed or ()
        for document in ranking.documents
    }
    held = {document for document in _ids(corpus) if document in wanted}
    found = [outside_corpus(listed or (), held, which=which) for which, listed in rankings]
    return [[] if one is None else [one] for one in found]


def label_checks(
    app: App, corpus: Path | None, sides: Sequence[tuple[Which, StoredIdentity | None]]
) -> list[list[SelfCheck]]:
    """For each side whether its corpus label stood for other documents before.

    Args:
        app: the wired parts.
        corpus: the corpus at hand, None where there is none.
        sides: what each of them declares, with its role.

    Raises:
        InvalidFile: the corpus breaks a rule.
    """
    from evenhand.adapters.corpus_labels import has_moved
    from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
    from evenhand.core.comparison.checks import CheckCode, SelfCheck

    labels = [None if one is None else one.provenance.corpus_revision for _, one in sides]
    # A label that is a digest changes with the documents by itself.
    made_up = {label for label in labels if label is not None and not _DIGEST.fullmatch(label)}
    if corpus is None or not corpus.exists() or not made_up:
        return [[] for _ in sides]
    digest = corpus_digest_of(corpus)
    moved = {one for one in sorted(made_up) if has_moved(app.settings.state_folder, one, digest)}
    return [
        [SelfCheck(code=CheckCode.CORPUS_LABEL_MOVED, which=which)] if label in moved else []
        for (which, _), label in zip(sides, labels, strict=True)
    ]


def fresh_checks(
    app: App, together: Together, again: Sequence[Evaluation]
) -> tuple[SelfCheck, ...]:
    """What a run says against itself: its checkout, the corpus at hand, further passes.

    Args:
        app: the wired parts.
        together: the run of one retriever.
        again: further passes of the same retriever over the same questions.
    """
    from evenhand.core.comparison.checks import Which, dirty_checkout, not_deterministic

    evaluation = together.evaluations[0]
    return (
        *dirty_checkout(evaluation.identity, Which.CANDIDATE),
        *candidate_checks(app, together),
        *not_deterministic([evaluation.answers, *(one.answers for one in again)], Which.CANDIDATE),
    )


def candidate_checks(app: App, together: Together) -> list[SelfCheck]:
    """What speaks against a run of one retriever beside its corpus at hand.

    Args:
        app: the wired parts.
        together: the run.
    """
    from evenhand.core.comparison.checks import Which
    from evenhand.core.comparison.side import fresh_side
    from evenhand.core.privacy import LevelPolicy, PrivacyLevel
    from evenhand.core.scoring.details import build_rankings

    evaluation, corpus = together.evaluations[0], together.corpora[0]
    if corpus is None:
        return []
    # Looked at here and now, whatever may be kept.
    rankings = build_rankings(evaluation, LevelPolicy(level=PrivacyLevel.FULL))
    side = fresh_side(evaluation, rankings=rankings)
    return corpus_checks(app, [(corpus, Which.CANDIDATE, side)])[0]


def _ids(corpus: Path) -> Iterator[bytes]:
    from evenhand.adapters.formats.corpus import read_documents
    from evenhand.adapters.formats.corpus_manifest import is_manifest, open_identities

    if is_manifest(corpus):
        with open_identities(corpus) as identities:
            yield from (one.id for one in identities)
    else:
        yield from (document.id for document, _ in read_documents(corpus))
