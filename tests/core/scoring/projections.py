"""Projections as hypothesis draws them: what a run and judgements could have left behind."""

from hypothesis import strategies as st

from evenhand.core.scoring.projection import QueryHits

#: Negative, zero and graded; few, so that grades repeat.
GRADES = st.integers(min_value=-2, max_value=4)


@st.composite
def query_hits(draw: st.DrawFn, *, depth: int = 30) -> QueryHits:
    """One query: some judged documents among the retrieved, some judged ones missed."""
    retrieved = draw(st.integers(min_value=0, max_value=depth))
    ranks = st.integers(min_value=1, max_value=max(retrieved, 1))
    hits = draw(st.dictionaries(ranks, GRADES, max_size=12)) if retrieved else {}
    missed = draw(st.lists(GRADES, max_size=6))
    return QueryHits(
        hits=tuple(sorted(hits.items())),
        retrieved=retrieved,
        judged=tuple(sorted([*hits.values(), *missed], reverse=True)),
    )


def projections(*, depth: int = 30) -> st.SearchStrategy[dict[bytes, QueryHits]]:
    """Some judged queries."""
    return st.dictionaries(st.binary(min_size=1, max_size=3), query_hits(depth=depth), max_size=6)


#: Names of measures, every family and parameter, cutoffs beyond any list among them.
_CUTOFFS = st.sampled_from(["", "@1", "@2", "@3", "@5", "@10", "@1000"])
_DEPTHS = st.sampled_from(["@1", "@2", "@3", "@5", "@10", "@1000"])
_LEVELS = st.sampled_from(["", "(rel=1)", "(rel=2)", "(rel=5)"])
_GAINS = st.sampled_from(["", "(dcg='exp-log2')"])
_PATIENCE = st.sampled_from(["", "(p=0.5)", "(p=0.95,rel=2)"])
_RECALLS = st.sampled_from(["@0", "@0.1", "@0.25", "@0.5", "@0.7", "@1"])


def _names(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    given = (st.just(part) if isinstance(part, str) else part for part in parts)
    return st.tuples(*given).map("".join)


MEASURES = st.one_of(
    _names(st.sampled_from(["P", "R", "Success"]), _LEVELS, _DEPTHS),
    _names(st.sampled_from(["RR", "AP"]), _LEVELS, _CUTOFFS),
    _names("nDCG", _GAINS, _CUTOFFS),
    _names("IPrec", _LEVELS, _RECALLS),
    _names("RBP", _PATIENCE, _CUTOFFS),
    _names("ERR", st.sampled_from(["", "(max_rel=7)"]), _CUTOFFS),
    _names("Judged", _CUTOFFS),
    _names(st.sampled_from(["Rprec", "Bpref", "SetP", "SetR", "NumRet", "NumRel"]), _LEVELS),
    st.just("NumQ"),
)
