import gzip
import hashlib
import itertools
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.adapters.scoring.columns import hits_anywhere
from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.adapters.scoring.source import Source
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.qrels import qrels_digest
from evenhand.core.scoring.cuts import padded
from evenhand.core.scoring.judgements import read_judgements
from evenhand.core.scoring.kernel import whole_run
from evenhand.core.scoring.projection import QueryHits, per_query
from evenhand.core.scoring.run_facts import tie_bounds
from tests.adapters.scoring.runs import (
    Judged,
    Row,
    qrels_text,
    reference,
    run_text,
    scored,
    write_inputs,
)

# Ids: a '#' inside, bytes that are not ASCII, one that begins another, some beyond 64 bytes.
QUERIES = [b"1", b"10", b"q#1", b"2024-224960", b"caf\xc3\xa9", b"x" * 70, b"x" * 70 + b"y"]
DOCUMENTS = [
    b"d",
    b"d1",
    b"d#2",
    b"msmarco_v2.1_doc_50_2286987788#13_3087841662",
    b"\xff\xfe",
    b"a\x0bb",  # to some functions a line end, here a byte of an id
    b"z" * 64,
    b"z" * 65,
    b"z" * 65 + b"a",
    *(b"msmarco_v2_doc_%02d_%d" % (one % 60, one * 7919) for one in range(40)),
]
# Scores: ties, spellings of one number, doubles that are equal in 32 bits only, long ones.
SCORES = [
    "1",
    "1.0",
    "+1.00",
    "0.9222621453752586",
    "0.9222621453752585",
    "16777217",
    "16777216",
    "-3.5",
    "-0",
    "0",
    "1e-5",
    ".5",
    "5.",
    "123456789012345678901234.5",
    "9007199254740993",
    "0.12345678901234567890123",
    "12.34567",
    "12.34568",
]


@st.composite
def inputs(draw: st.DrawFn) -> tuple[dict[bytes, dict[bytes, int]], list[Row]]:
    queries = draw(st.lists(st.sampled_from(QUERIES), min_size=1, max_size=5, unique=True))
    judged = {
        query: draw(
            st.dictionaries(
                st.sampled_from(DOCUMENTS), st.integers(-2, 12), min_size=1, max_size=8
            )
        )
        for query in draw(st.sets(st.sampled_from(QUERIES), min_size=1, max_size=5))
    }
    rows = []
    for query in queries:
        documents = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
        scores = draw(
            st.lists(
                st.one_of(
                    st.sampled_from(SCORES),
                    st.floats(allow_nan=False, allow_infinity=False).map(repr),
                ),
                min_size=len(documents),
                max_size=len(documents),
            )
        )
        if draw(st.booleans()):
            scores.sort(key=float, reverse=True)
        rows += [(query, *pair) for pair in zip(documents, scores, strict=True)]
    return judged, rows


class TestTheTwoWays:
    @settings(max_examples=40)
    @given(inputs(), st.integers(1, 400), st.integers(1, 3))
    def test_both_are_the_reference_whatever_the_blocks(
        self, drawn: tuple[Judged, list[Row]], block_bytes: int, threads: int
    ) -> None:
        judged, rows = drawn
        with tempfile.TemporaryDirectory() as folder:
            paths = write_inputs(Path(folder), qrels_text(judged), run_text(rows))
            plain, of_plain = scored(paths, columns=False)
            wide, of_wide = scored(paths, columns=True, block_bytes=block_bytes, threads=threads)
        assert plain == wide == reference(judged, rows)
        for name in ("rows", "run_queries", "unjudged_queries", "first_unjudged"):
            assert getattr(of_plain.ranked, name) == getattr(of_wide.ranked, name)
        assert of_plain.ranked.tied_rows == of_wide.ranked.tied_rows
        assert of_plain.ranked.collapsed_scores == of_wide.ranked.collapsed_scores
        assert of_plain.qrels_digest() == of_wide.qrels_digest()
        for name in ("hit", "first", "size"):
            one, two = (getattr(facts.ranked.ties, name) for facts in (of_plain, of_wide))
            assert list(one) == list(two)

    @settings(max_examples=40)
    @given(inputs(), st.data(), st.integers(1, 400))
    def test_rows_in_any_order_give_the_same(
        self, drawn: tuple[Judged, list[Row]], data: st.DataObject, block_bytes: int
    ) -> None:
        judged, rows = drawn
        shuffled = data.draw(st.permutations(rows))
        with tempfile.TemporaryDirectory() as folder:
            paths = write_inputs(Path(folder), qrels_text(judged), run_text(shuffled))
            plain, _ = scored(paths, columns=False)
            wide, facts = scored(paths, columns=True, block_bytes=block_bytes)
            digest = hashlib.sha256(paths[1].read_bytes()).hexdigest()
        assert plain == wide == reference(judged, rows)
        assert facts.run_sha256 == digest

    @settings(max_examples=40)
    @given(
        inputs(),
        st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n# a comment of six words at least\n"]),
        st.sampled_from([b" ", b"\t", b"  ", b" \t "]),
        st.booleans(),
        st.integers(1, 400),
    )
    def test_odd_but_valid_lines_give_the_same(
        self,
        drawn: tuple[Judged, list[Row]],
        end: bytes,
        blank: bytes,
        is_cut: bool,
        block_bytes: int,
    ) -> None:
        judged, rows = drawn
        text = run_text(rows, end=end, blank=blank)
        with tempfile.TemporaryDirectory() as folder:
            paths = write_inputs(
                Path(folder), qrels_text(judged), text.removesuffix(end) if is_cut else text
            )
            plain, _ = scored(paths, columns=False)
            wide, _ = scored(paths, columns=True, block_bytes=block_bytes)
        assert plain == wide == reference(judged, rows)

    def test_a_run_in_parts_gives_the_same(self, tmp_path: Path) -> None:
        documents = [one for one in DOCUMENTS if b"\x0b" not in one]
        judged = {query: dict.fromkeys(documents[::3], 1) for query in QUERIES}
        rows = [
            (query, document, str(7 * place % 11))
            for place, document in enumerate(documents)
            for query in QUERIES
        ]
        _, run = write_inputs(tmp_path, b"", run_text(rows))
        columns = read_judgements(*_room(qrels_text(judged)))
        source = Source(run)
        with source.opened() as stream:
            parts = hits_anywhere(columns, source, stream, threads=2, part_bytes=1000)
        assert len(parts) > 1
        found = whole_run(columns, parts)
        assert dict(per_query(found.hits)) == reference(judged, rows)


def _room(content: bytes) -> tuple[bytearray, int, int]:
    room, start, end = padded(content)
    return bytearray(room), start, end


class TestScores:
    @pytest.mark.parametrize("columns", [False, True])
    def test_scores_that_are_equal_in_32_bits_only_are_no_tie(
        self, tmp_path: Path, *, columns: bool
    ) -> None:
        judged = {b"q1": {b"d0": 1}, b"q2": {b"d0": 1}}
        rows: list[Row] = [
            (b"q1", b"d0", "0.9222621453752586"),
            (b"q1", b"d9", "0.9222621453752585"),
            (b"q2", b"d0", "16777217"),
            (b"q2", b"d9", "16777216"),
        ]
        paths = write_inputs(tmp_path, qrels_text(judged), run_text(rows))
        hits, facts = scored(paths, columns=columns)
        assert [hits[query].hits for query in (b"q1", b"q2")] == [((1, 1),), ((1, 1),)]
        assert (facts.ranked.tied_rows, facts.ranked.collapsed_scores) == (0, 2)

    @pytest.mark.parametrize("columns", [False, True])
    @pytest.mark.parametrize(
        "score", ["nan", "inf", "-inf", "1e999", "1_0", "high", "0x1p3", "1,5"]
    )
    def test_what_is_no_finite_decimal_is_refused_with_its_lines(
        self, tmp_path: Path, score: str, *, columns: bool
    ) -> None:
        rows: list[Row] = [(b"q", b"a", score), (b"q", b"b", "0.9"), (b"q", b"c", score)]
        paths = write_inputs(tmp_path, b"q 0 a 1\n", run_text(rows))
        with pytest.raises(InvalidFile, match=r"line 1: .*finite number \(also on line 3\)"):
            scored(paths, columns=columns)

    @pytest.mark.parametrize("columns", [False, True])
    @pytest.mark.parametrize("score", ["1,5", "1/5", "1-5", "+1.5.", "1.5e", ".15."])
    def test_what_is_no_point_where_others_have_one_is_refused(
        self, tmp_path: Path, score: str, *, columns: bool
    ) -> None:
        rows: list[Row] = [(b"q", b"a", "2.5"), (b"q", b"b", score)]
        paths = write_inputs(tmp_path, b"q 0 a 1\n", run_text(rows))
        with pytest.raises(InvalidFile, match="not a finite number") as refused:
            scored(paths, columns=columns)
        assert refused.value.line == 2


class TestTies:
    @settings(max_examples=40)
    @given(
        st.lists(
            st.tuples(st.sampled_from(["1", "2"]), st.integers(-1, 3)), min_size=1, max_size=7
        ),
        st.booleans(),
    )
    def test_the_bounds_are_the_best_and_the_worst_of_all_orders(
        self, drawn: list[tuple[str, int]], columns: bool
    ) -> None:
        names = [b"d%d" % place for place in range(len(drawn))]
        # -1 stands for a document that nobody judged; 0 was judged as not relevant.
        judged = {b"q": {n: g for n, (_, g) in zip(names, drawn, strict=True) if g >= 0}}
        judged[b"q"][b"elsewhere"] = 1
        rows = [(b"q", name, score) for name, (score, _) in zip(names, drawn, strict=True)]
        with tempfile.TemporaryDirectory() as folder:
            paths = write_inputs(Path(folder), qrels_text(judged), run_text(rows))
            hits, facts = score_inputs(*paths, small_bytes=0 if columns else 2**20)
        gains = [_gain(order) for order in _orders(drawn)]
        bounds = tie_bounds(hits, facts.ranked.ties)
        best, worst = (_gain(dict(per_query(one))[b"q"].hits) for one in bounds)
        assert [best, worst] == pytest.approx([max(gains), min(gains)])

    def test_without_ties_there_are_no_bounds(self, tmp_path: Path) -> None:
        rows: list[Row] = [(b"q", b"a", "2"), (b"q", b"b", "1")]
        paths = write_inputs(tmp_path, b"q 0 a 1\n", run_text(rows))
        _, facts = scored(paths, columns=True)
        assert (facts.tied_hits, facts.tie_bounds()) == (0, None)


def _orders(drawn: Sequence[tuple[str, int]]) -> list[list[tuple[int, int]]]:
    """Every order that the scores allow, as ranks and grades of the judged rows."""
    tied = [[grade for score, grade in drawn if score == one] for one in ("2", "1")]
    return [
        [(rank, grade) for rank, grade in enumerate([*one, *two], start=1) if grade >= 0]
        for one in itertools.permutations(tied[0])
        for two in itertools.permutations(tied[1])
    ]


def _gain(hits: Sequence[tuple[int, int]]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in hits if grade > 0)


class TestFacts:
    @pytest.mark.parametrize("columns", [False, True])
    def test_queries_on_one_side_only_are_counted_and_named(
        self, tmp_path: Path, *, columns: bool
    ) -> None:
        rows: list[Row] = [(b"q1", b"a", "1"), (b"q9", b"a", "1"), (b"q8", b"a", "1")]
        paths = write_inputs(tmp_path, b"q1 0 a 1\nq2 0 a 1\n", run_text(rows))
        hits, facts = scored(paths, columns=columns)
        assert hits[b"q2"] == QueryHits(hits=(), retrieved=0, judged=(1,))
        assert (facts.missing_queries, facts.first_missing) == (1, (b"q2",))
        assert (facts.ranked.unjudged_queries, facts.ranked.first_unjudged) == (2, (b"q8", b"q9"))
        assert facts.ranked.rows == 3

    @pytest.mark.parametrize("columns", [False, True])
    def test_digests_are_of_the_bytes_on_disk(self, tmp_path: Path, *, columns: bool) -> None:
        packed = gzip.compress(run_text([(b"q", b"a", "1")]), mtime=0)
        paths = write_inputs(tmp_path, b"q 0 a 1\n", packed)
        _, facts = scored(paths, columns=columns)
        assert facts.run_sha256 == hashlib.sha256(packed).hexdigest()
        assert facts.qrels_sha256 == hashlib.sha256(b"q 0 a 1\n").hexdigest()
        assert facts.qrels_digest() == qrels_digest([(b"q", b"a", 1)])

    @pytest.mark.parametrize("columns", [False, True])
    def test_the_metadata_head_of_a_run_is_kept(self, tmp_path: Path, *, columns: bool) -> None:
        head = b"# ir_metadata.start\n# platform:\n#   hardware: x\n# ir_metadata.end\n"
        paths = write_inputs(tmp_path, b"q 0 a 1\n", head + run_text([(b"q", b"a", "1")]))
        hits, facts = scored(paths, columns=columns)
        assert facts.metadata == "platform:\n  hardware: x\n"
        assert hits[b"q"].hits == ((1, 1),)

    @pytest.mark.parametrize("columns", [False, True])
    def test_depth_keeps_the_best_rows(self, tmp_path: Path, *, columns: bool) -> None:
        rows: list[Row] = [(b"q", b"d%d" % one, str(one)) for one in range(9)]
        judged = {b"q": {b"d8": 2, b"d6": 1, b"d0": 1}}
        paths = write_inputs(tmp_path, qrels_text(judged), run_text(rows))
        hits, _ = score_inputs(*paths, depth=3, small_bytes=0 if columns else 2**20)
        found = dict(per_query(hits))[b"q"]
        assert found == QueryHits(hits=((1, 2), (3, 1)), retrieved=3, judged=(2, 1, 1))


class TestRefusals:
    @pytest.mark.parametrize("columns", [False, True])
    def test_a_document_twice_names_both_lines(self, tmp_path: Path, *, columns: bool) -> None:
        rows: list[Row] = [(b"q", b"A", "2"), (b"q", b"B", "1.5"), (b"q", b"A", "1")]
        paths = write_inputs(tmp_path, b"q 0 A 1\n", run_text(rows))
        with pytest.raises(InvalidFile, match=r"line 3: gives document 'A' .* on line 1 already"):
            scored(paths, columns=columns)

    @pytest.mark.parametrize("columns", [False, True])
    def test_a_document_twice_is_found_where_nobody_judged_the_query(
        self, tmp_path: Path, *, columns: bool
    ) -> None:
        rows: list[Row] = [(b"q", b"A", "2"), (b"other", b"B", "1"), (b"other", b"B", "1")]
        paths = write_inputs(tmp_path, b"q 0 A 1\n", run_text(rows))
        with pytest.raises(InvalidFile, match="line 3: "):
            scored(paths, columns=columns)

    @pytest.mark.parametrize("columns", [False, True])
    def test_judgements_of_one_pair_twice_name_both_lines(
        self, tmp_path: Path, *, columns: bool
    ) -> None:
        paths = write_inputs(
            tmp_path, b"q 0 a 1\nq 0 b 1\nq 0 a 2\n", run_text([(b"q", b"a", "1")])
        )
        with pytest.raises(InvalidFile, match=r"line 3: .* on line 1 already"):
            scored(paths, columns=columns)

    @pytest.mark.parametrize("columns", [False, True])
    @pytest.mark.parametrize(
        "grade",
        [
            "0.5",
            "high",
            "1.0",
            "1e0",
            "1_0",
            "0000000001",
            "1000000000",
            "-2147483649",
            "4294967297",
            "12345678901",
        ],
    )
    def test_a_grade_that_is_no_whole_number_is_refused(
        self, tmp_path: Path, grade: str, *, columns: bool
    ) -> None:
        qrels = f"q 0 a 1\nq 0 b {grade}\nq 0 c {grade}\n".encode()
        paths = write_inputs(tmp_path, qrels, run_text([(b"q", b"a", "1")]))
        with pytest.raises(InvalidFile, match=r"line 2: .*\(also on line 3\)"):
            scored(paths, columns=columns)

    @pytest.mark.parametrize("columns", [False, True])
    @pytest.mark.parametrize(
        "run", [b"q Q0 d\ra 1 1 x\n", b"q Q0 a 1 2 x\rq Q0 b 2 1 x\r", b"q Q0 a 1 1 x\ry\r\n"]
    )
    def test_a_carriage_return_within_a_line_is_refused(
        self, tmp_path: Path, run: bytes, *, columns: bool
    ) -> None:
        paths = write_inputs(tmp_path, b"q 0 a 1\n", b"q Q0 c 1 9 x\n" + run)
        with pytest.raises(InvalidFile, match="line 2: must not hold a carriage return"):
            scored(paths, columns=columns)
        paths = write_inputs(tmp_path, b"q 0 a 1\nq 0 b\rc 1\n", b"q Q0 c 1 9 x\n")
        with pytest.raises(InvalidFile, match="line 2: must not hold a carriage return"):
            scored(paths, columns=columns)

    @pytest.mark.parametrize("columns", [False, True])
    def test_an_input_without_a_row_is_refused(self, tmp_path: Path, *, columns: bool) -> None:
        paths = write_inputs(tmp_path, b"q 0 a 1\n", b"\n# nothing\n")
        with pytest.raises(InvalidFile, match="holds no row"):
            scored(paths, columns=columns)
        paths = write_inputs(tmp_path, b"\n", run_text([(b"q", b"a", "1")]))
        with pytest.raises(InvalidFile, match="holds no judgement"):
            scored(paths, columns=columns)

    def test_a_line_without_end_is_refused_in_bounded_memory(self, tmp_path: Path) -> None:
        paths = write_inputs(tmp_path, b"q 0 a 1\n", bytes(40 * 2**20))
        with pytest.raises(InvalidFile, match="is a line of more than"):
            score_inputs(*paths)
