import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.retrieval import InvalidMeasure
from evenhand.core.scoring.measure_names import MEASURE_FAMILIES, parse_measure, parse_measures
from tests.core.scoring.projections import MEASURES

CANONICAL = [
    "P@5",
    "P(rel=2)@10",
    "R@100",
    "R(rel=3)@1000",
    "Success@3",
    "RR",
    "RR@10",
    "RR(rel=2)",
    "AP",
    "AP@100",
    "AP(rel=2)@100",
    "nDCG",
    "nDCG@10",
    "nDCG(dcg='exp-log2')",
    "nDCG(dcg='exp-log2')@10",
    "Rprec",
    "Rprec(rel=2)",
    "Bpref",
    "Bpref(rel=4)",
    "IPrec@0.0",
    "IPrec@0.1",
    "IPrec(rel=2)@1.0",
    "RBP(rel=1)",
    "RBP(p=0.9,rel=2)@20",
    "ERR",
    "ERR@20",
    "ERR(max_rel=2)@20",
    "Judged",
    "Judged@10",
    "SetP",
    "SetR(rel=2)",
    "NumQ",
    "NumRet",
    "NumRet(rel=1)",
    "NumRet(rel=2)",
    "NumRel",
    "NumRel(rel=2)",
]


@pytest.mark.parametrize("name", CANONICAL)
def test_a_canonical_name_is_its_own(name: str) -> None:
    assert str(parse_measure(name)) == name


@given(MEASURES)
def test_the_name_of_any_measure_leads_back_to_it(name: str) -> None:
    measure = parse_measure(name)
    assert parse_measure(str(measure)) == measure
    assert str(parse_measure(str(measure))) == str(measure)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        # Of ir_measures.
        ("MAP@10", "AP@10"),
        ("MRR@10", "RR@10"),
        ("NDCG", "nDCG"),
        ("Precision@3", "P@3"),
        ("Recall(rel=2)@3", "R(rel=2)@3"),
        ("BPref", "Bpref"),
        ("RPrec", "Rprec"),
        ("NumRelRet", "NumRet(rel=1)"),
        # A default that is stated.
        ("AP(rel=1)", "AP"),
        ("nDCG(dcg='log2')@5", "nDCG@5"),
        ('nDCG(dcg="exp-log2")@5', "nDCG(dcg='exp-log2')@5"),
        ("ERR(max_rel=4)", "ERR"),
        ("RBP", "RBP(rel=1)"),
        ("RBP(p=0.80)", "RBP(rel=1)"),
        ("RBP( rel=2 , p=0.5 )", "RBP(p=0.5,rel=2)"),
        ("  P @ 5 ", "P@5"),
        ("IPrec@0", "IPrec@0.0"),
        ("IPrec@.10", "IPrec@0.1"),
        ("IPrec@1", "IPrec@1.0"),
        # Of trec_eval and pytrec_eval.
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("map_cut.10", "AP@10"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("P.10", "P@10"),
        ("recall_100", "R@100"),
        ("success_1", "Success@1"),
        ("recip_rank", "RR"),
        ("bpref", "Bpref"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall.1", "IPrec@1.0"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("num_q", "NumQ"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRet(rel=1)"),
    ],
)
def test_an_alias_means_one_canonical_name(alias: str, name: str) -> None:
    assert str(parse_measure(alias)) == name


@pytest.mark.parametrize(
    ("name", "position", "rule"),
    [
        ("", 1, "must read"),
        ("@10", 1, "must read"),
        ("P@10@20", 5, "must read"),
        ("P(rel=2", 2, "must read"),
        ("nDCG@10(rel=2)", 8, "must read"),
        ("11pt_avg", 1, "must read"),
        ("nDGC@10", 1, "no such measure"),
        ("ndcg@10", 1, "no such measure"),
        ("infAP", 1, "no such measure"),
        ("P", 2, "needs a cutoff, such as P@10"),
        ("R(rel=2)", 9, "needs a cutoff, such as R@100"),
        ("Success", 8, "needs a cutoff"),
        ("recall", 7, "needs a cutoff"),
        ("ndcg_cut", 9, "needs a cutoff, such as nDCG@10"),
        ("IPrec", 6, "needs a level of recall"),
        ("iprec_at_recall", 16, "needs a level of recall"),
        ("P@0", 3, "from 1 to"),
        ("P@-1", 3, "from 1 to"),
        ("P@010", 3, "from 1 to"),
        ("P@1.5", 3, "from 1 to"),
        ("P@", 3, "from 1 to"),
        ("P@1e3", 3, "from 1 to"),
        ("P@1000000000", 3, "from 1 to"),
        ("P@\u0661", 3, "from 1 to"),
        ("recall_0", 8, "from 1 to"),
        ("ndcg_cut_2.5", 10, "from 1 to"),
        ("Bpref@10", 7, "takes no cutoff"),
        ("NumQ@1", 6, "takes no cutoff"),
        ("IPrec@1.1", 7, "from 0 to 1"),
        ("IPrec@-0.1", 7, "from 0 to 1"),
        ("IPrec@nan", 7, "from 0 to 1"),
        ("iprec_at_recall_1.5", 17, "from 0 to 1"),
        ("AP(rel=0)", 4, "never relevant"),
        ("AP(rel=-1)", 4, "never relevant"),
        ("AP(rel=x)", 4, "never relevant"),
        ("AP(rel)", 4, "must read name=value"),
        ("AP()", 4, "must read name=value"),
        ("RBP(p=0.5, p=0.6)", 12, "a second time"),
        ("RBP(p=0)", 5, "between 0 and 1"),
        ("RBP(p=1)", 5, "between 0 and 1"),
        ("RBP(p=inf)", 5, "between 0 and 1"),
        ("nDCG(rel=2)@10", 6, "nDCG takes dcg only"),
        ("nDCG(dcg='exp')", 6, "'log2' or 'exp-log2'"),
        ("P(judged_only=True)@5", 3, "P takes rel only"),
        ("RBP(cutoff=5)", 5, "RBP takes p and rel only"),
        ("Judged(rel=1)", 8, "takes no parameters"),
        ("ERR(max_rel=0)", 5, "from 1 to 512"),
        ("ERR(max_rel=513)", 5, "from 1 to 512"),
    ],
)
def test_what_is_no_measure_is_refused_with_place_and_rule(
    name: str, position: int, rule: str
) -> None:
    with pytest.raises(InvalidMeasure) as caught:
        parse_measure(name)
    assert caught.value.code == "invalid_measure"
    assert (caught.value.name, caught.value.position) == (name, position)
    assert rule in caught.value.rule
    assert f"character {position}: " in str(caught.value)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("nDGC@10", "nDCG"),
        ("ndcg@10", "nDCG"),
        ("sucess@1", "Success"),
        ("ReciprocalRank", "RR"),
        ("num_rel_rat", "NumRet(rel=1)"),
    ],
)
def test_a_name_that_is_near_is_named(name: str, near: str) -> None:
    with pytest.raises(InvalidMeasure) as caught:
        parse_measure(name)
    assert near in caught.value.near
    assert near in str(caught.value)


@given(st.text(max_size=30) | st.from_regex(r"(P|AP|IPrec|recall)[(_.]?(rel=\d?)?\)?@?\d*"))
def test_any_text_is_a_measure_or_refused(text: str) -> None:
    position, family = _read(text)
    assert 1 <= position <= len(text) + 1
    assert family in MEASURE_FAMILIES


def _read(text: str) -> tuple[int, str]:
    try:
        return 1, parse_measure(text).family
    except InvalidMeasure as error:
        return error.position, MEASURE_FAMILIES[0]


def test_a_measure_that_is_named_twice_is_one() -> None:
    measures = parse_measures(["AP", "P_5", "map", "P@5", "RR"])
    assert [str(measure) for measure in measures] == ["AP", "P@5", "RR"]
