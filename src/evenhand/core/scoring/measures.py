"""What is the value of a measure for one query, to the last bit that trec_eval would give?

Protocol ``trec-eval-v1``: names in ir_measures spelling (``measure_names`` reads them), values
computed from the judged-hits projection alone. Where trec_eval has the measure the value is the
very double that trec_eval 10 computes: the same additions in the same order, the same divisions.
The rest follows a formula that :attr:`Measure.oracle` names. ``value_columns`` computes the same
doubles for all queries at once.

A grade of 1 or more is relevant unless ``rel`` says otherwise; a negative grade gains nothing and
is never relevant, but was judged. Every judged query counts: one that is not in the run, or that
retrieved nothing, has 0, and so has one without any relevant document (trec_eval prints 0 for it
and counts it). Under Evenhand's own order such a query has no value instead
(:meth:`Measure.native_value`).
"""

from __future__ import annotations

import sys

from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.scoring.query_values import VALUES, Family, count_relevant, total
from evenhand.core.scoring.records import Record

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final

    from evenhand.core.scoring.projection import QueryHits

#: Changes whenever a value, an order of results or an average of this protocol changes.
GRADED_VERSION: Final = "trec-eval-v1"
#: What the version stands for; frozen with it.
GRADED_PROTOCOL: Final = (
    "Results by score, then document id, both descending (ids by bytes, scores as 64-bit doubles);"
    " rankings made here keep their own order. Relevant from grade 1, or from rel. Unjudged is not"
    " relevant; negative grades gain 0. Gain is the grade, discount log2(rank + 1), the ideal"
    " ranking that of all judged documents. Every judged query counts, a missing one with 0. Sums"
    " run in order of rank, means in byte order of the query ids."
)
#: From here on 2**grade would leave no room for a sum of doubles.
MAX_EXPONENT: Final = 512
#: Of the scale that ERR expects unless told otherwise; that of the TREC Web tracks.
ERR_MAX_REL: Final = 4
RBP_PERSISTENCE: Final = 0.8
#: Why a question has no native value, where a report must name a reason.
NO_RELEVANT: Final = "no_relevant"
#: Whole numbers, whose summary is a total.
COUNTS: Final = frozenset({Family.NUMQ, Family.NUMRET, Family.NUMREL})
#: They say something about a query whose judgements hold nothing relevant, too.
_NEED_NOTHING_RELEVANT: Final = COUNTS | {Family.JUDGED}


class Oracle(Record):
    """What a measure must be equal to.

    Attributes:
        name: ``trec_eval`` (version 10), or ``formula``.
        call: the arguments of trec_eval that print it, or the formula with its paper.
    """

    name: str
    call: str


class Measure(Record):
    """One measure; ``measure_names.parse_measure`` makes it, ``str`` gives its canonical name.

    Attributes:
        family: which measure.
        cutoff: depth in documents, at least 1; None for the whole ranking.
        rel: lowest relevant grade, at least 1; None where it is 1 (for NumRet: every document).
        recall: level of recall, in [0, 1] (IPrec).
        p: persistence, between 0 and 1 (RBP).
        exponential: gain 2**grade - 1 instead of the grade (nDCG).
        max_rel: highest grade of the scale, 1 to 512 (ERR).
    """

    family: Family
    cutoff: int | None = None
    rel: int | None = None
    recall: float = 0.0
    p: float = RBP_PERSISTENCE
    exponential: bool = False
    max_rel: int = ERR_MAX_REL

    def __str__(self) -> str:
        """The canonical name, in ir_measures spelling; equal measures have equal names."""
        stated = {
            "dcg='exp-log2'": self.exponential,
            f"max_rel={self.max_rel}": self.max_rel != ERR_MAX_REL,
            f"p={self.p!r}": self.p != RBP_PERSISTENCE,
            f"rel={self.rel}": self.rel is not None,
        }
        inside = ",".join(text for text, is_stated in stated.items() if is_stated)
        at: float | None = self.recall if self.family is Family.IPREC else self.cutoff
        return self.family + (f"({inside})" if inside else "") + ("" if at is None else f"@{at}")

    @property
    def level(self) -> int:
        """Lowest grade that counts as relevant; of gains: lowest grade that gains anything."""
        return self.rel or 1

    @property
    def depth(self) -> int:
        """How many ranks are looked at; a very large number without a cutoff."""
        return self.cutoff or sys.maxsize

    @property
    def is_count(self) -> bool:
        """Whether values are whole numbers, whose summary is their total."""
        return self.family in COUNTS

    @property
    def oracle(self) -> Oracle:
        """What values of this measure must be equal to.

        Of NumRel with a level the values are, the total is not: with ``-c`` trec_eval sums from
        grade 1 on whatever the level.
        """
        if self.family in _FORMULAS:
            return Oracle("formula", _FORMULAS[self.family])
        if self.exponential:
            return Oracle("formula", _EXPONENTIAL)
        whole, cut = _CALLS[self.family]
        call = whole if self.cutoff is None else cut.format(self.cutoff)
        if self.family is Family.NUMRET and self.rel is not None:
            call = "-m num_rel_ret"
        if self.family is Family.IPREC:
            call = whole.format(self.recall)
        return Oracle("trec_eval", "-c " + (f"-l{self.level} " if self.level > 1 else "") + call)

    def value(self, hits: QueryHits) -> float:
        """The value for one judged query.

        Returns:
            In [0, 1], except for counts, which are whole numbers; never NaN. 0.0 when the query is
            not in the run or nothing relevant was judged (counts: what there is to count).

        Raises:
            InvalidQrels: a grade beyond the scale of ERR or of an exponential gain.
        """
        require_scale(self, hits.judged[0] if hits.judged else 0)
        return VALUES[self.family](self, hits)

    def values(self, queries: Sequence[QueryHits]) -> list[float]:
        """As :meth:`value`, of each query."""
        highest = max((hits.judged[0] for hits in queries if hits.judged), default=0)
        require_scale(self, highest)
        value = VALUES[self.family]
        return [value(self, hits) for hits in queries]

    def native_value(self, hits: QueryHits) -> float | None:
        """The value under Evenhand's own order, where a question without targets has none.

        Returns:
            As :meth:`value`; None (`NO_RELEVANT`) when the judgements hold nothing relevant,
            unless the measure says something about such a question too (Judged and the counts).

        Raises:
            InvalidQrels: as :meth:`value`.
        """
        if self.family not in _NEED_NOTHING_RELEVANT and not count_relevant(self, hits):
            return None
        return self.value(hits)

    def summary(self, values: Iterable[float]) -> float | None:
        """The mean of values in byte order of the queries, or the total of counts.

        Returns:
            None for a mean of nothing.
        """
        return total(values) if self.is_count else mean(values)


def mean(values: Iterable[float]) -> float | None:
    """Mean of values, added one after the other in the order given, as trec_eval adds them.

    Args:
        values: in byte order of the query ids.

    Returns:
        None for no value.
    """
    held = list(values)
    return total(held) / len(held) if held else None


def require_scale(measure: Measure, highest: int) -> None:
    """Refuse judgements whose highest grade a measure has no gain for.

    Raises:
        InvalidQrels: it names the grade and the limit.
    """
    if measure.family is Family.ERR and highest > measure.max_rel:
        raise InvalidQrels(_beyond(highest, measure.max_rel, "ERR, see its max_rel"))
    if measure.exponential and highest > MAX_EXPONENT:
        raise InvalidQrels(_beyond(highest, MAX_EXPONENT, "an exponential gain"))


def _beyond(highest: int, limit: int, what: str) -> str:
    return f"hold the grade {highest}, above {limit}, the highest of {what}"


#: Arguments of trec_eval for the whole ranking, and with a cutoff.
_CALLS: Final[Mapping[Family, tuple[str, str]]] = {
    Family.P: ("", "-m P.{}"),
    Family.R: ("", "-m recall.{}"),
    Family.SUCCESS: ("", "-m success.{}"),
    Family.RR: ("-m recip_rank", "-M{} -m recip_rank"),
    Family.AP: ("-m map", "-m map_cut.{}"),
    Family.NDCG: ("-m ndcg", "-m ndcg_cut.{}"),
    Family.RPREC: ("-m Rprec", ""),
    Family.BPREF: ("-m bpref", ""),
    Family.IPREC: ("-m iprec_at_recall.{}", ""),
    Family.SETP: ("-m set_P", ""),
    Family.SETR: ("-m set_recall", ""),
    Family.NUMQ: ("-m num_q", ""),
    Family.NUMRET: ("-m num_ret", ""),
    Family.NUMREL: ("-m num_rel", ""),
}
_EXPONENTIAL: Final = (
    "(2**grade - 1) / log2(rank + 1), over the ideal ranking of all judged (Burges et al. 2005)"
)
_FORMULAS: Final[Mapping[Family, str]] = {
    # trec_eval 10 has one too, but it scales graded gains by values it never set.
    Family.RBP: "(1 - p) * sum of p**(rank - 1) of the relevant (Moffat and Zobel 2008)",
    Family.ERR: "R = (2**grade - 1) / 2**max_rel, cascade over ranks (Chapelle et al. 2009)",
    Family.JUDGED: "judged within the cutoff / the smaller of cutoff and retrieved (ir_measures)",
}
