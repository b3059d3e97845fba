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
