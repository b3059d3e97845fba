import hashlib
import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidText
from evenhand.core.errors.identity import InvalidPath
from evenhand.core.identity.file_digests import (
    elided_digest,
    inputs_digest,
    require_input_size,
    require_paths_without_job_id,
    root_digest,
)

JOB = "abcdef01-2345-4678-9abc-def012345678"
OTHER = "00000000-0000-4000-8000-000000000002"
PATH = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1
).filter(lambda path: path != "..")
FILES = st.dictionaries(PATH, st.binary(max_size=40)).map(lambda files: list(files.items()))


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def framed(*entries: tuple[str, str]) -> str:
    return sha(
        b"".join(path.encode() + b"\0" + digest.encode() + b"\n" for path, digest in entries)
    )


@pytest.mark.proves("BR-01", "R-14")
def test_the_root_digest_frames_path_nul_hex_and_lf() -> None:
    assert root_digest([]) == sha(b"")
    files = [("z/last.md", b"zzz"), ("a/first.md", b"aaa")]
    assert root_digest(files) == framed(("a/first.md", sha(b"aaa")), ("z/last.md", sha(b"zzz")))


@pytest.mark.proves("R-18")
@given(FILES, st.data())
def test_the_order_of_files_does_not_matter(
    files: list[tuple[str, bytes]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(files))
    assert root_digest(shuffled) == root_digest(files)
    assert inputs_digest(shuffled, job_id=JOB) == inputs_digest(files, job_id=JOB)


@pytest.mark.proves("G-23")
def test_paths_sort_by_utf_8_bytes_not_by_utf_16_units() -> None:
    files = [("\U0001f600.md", b"1"), ("\uff5e.md", b"2")]
    assert root_digest(files) == framed(("\uff5e.md", sha(b"2")), ("\U0001f600.md", sha(b"1")))


@pytest.mark.proves("R-14")
def test_path_and_content_each_change_the_digest() -> None:
    base = root_digest([("a.md", b"x")])
    assert root_digest([("b.md", b"x")]) != base
    assert root_digest([("a.md", b"x\r")]) != base


@pytest.mark.proves("G-22")
@pytest.mark.parametrize(
    "path",
    ["", "a\0b", "/a", "/", "..", "../a", "a/../b", "a/..", "\ud800", "a\udcff"],
    ids=["empty", "nul", "rooted", "root", "up", "up-a", "a-up-b", "a-up", "high", "low"],
)
def test_an_unsafe_path_is_refused_by_both_digests(path: str) -> None:
    with pytest.raises(InvalidPath) as caught:
        root_digest([("ok", b""), (path, b"")])
    assert caught.value.code == "unsafe_path"
    assert caught.value.position == 2
    with pytest.raises(InvalidPath):
        inputs_digest([(path, b"")], job_id=JOB)


@pytest.mark.parametrize("path", ["..a", "a..", "a..b/c", "...", ".", "a/./b", "a//b"])
def test_dots_that_do_not_lead_upward_are_ordinary(path: str) -> None:
    assert root_digest([(path, b"")]) == framed((path, sha(b"")))


@pytest.mark.proves("G-24")
def test_one_path_named_by_two_contributors_is_refused() -> None:
    with pytest.raises(InvalidPath, match="occurs twice"):
        root_digest([("a", b"1"), ("b", b"2"), ("a", b"1")])


@pytest.mark.proves("G-24", "R-15")
def test_each_file_of_the_final_map_counts() -> None:
    memory, staged = [("a", b"1")], [("evidence/b", b"2")]
    whole = inputs_digest([*memory, *staged], job_id=JOB)
    assert whole != inputs_digest(memory, job_id=JOB)
    assert whole == inputs_digest([*staged, *memory], job_id=JOB)


@pytest.mark.proves("R-16", "R-17")
def test_nothing_but_the_injected_files_and_the_job_id_can_enter_the_digest() -> None:
    assert list(inspect.signature(inputs_digest).parameters) == ["files", "job_id"]


def segments(*parts: bytes) -> str:
    return sha(b"".join(len(part).to_bytes(4, "big") + part for part in parts))


@pytest.mark.proves("BR-02", "R-19")
@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", (b"",)),
        (b"abc", (b"abc",)),
        (f"a{JOB}b".encode(), (b"a", b"b")),
        (JOB.encode(), (b"", b"")),
        (f"{JOB}{JOB}".encode(), (b"", b"", b"")),
        (b"ab\0\0\0\1c", (b"ab\0\0\0\1c",)),
        (b"{jobId}", (b"{jobId}",)),
    ],
    ids=["empty", "none", "one", "only", "adjacent", "length-like", "placeholder"],
)
def test_the_content_digest_is_over_length_prefixed_segments(
    content: bytes, parts: tuple[bytes, ...]
) -> None:
    assert elided_digest(content, job_id=JOB) == segments(*parts)


@pytest.mark.proves("BR-02")
def test_overlapping_occurrences_are_found_from_the_left() -> None:
    job = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
    content = job.encode() + b"aaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
    assert elided_digest(content, job_id=job) == segments(b"", content[36:])


@pytest.mark.proves("R-19")
def test_two_jobs_over_equal_files_agree() -> None:
    mine, theirs = (
        inputs_digest([("task.json", f'{{"jobId":"{job}"}}'.encode())], job_id=job)
        for job in (JOB, OTHER)
    )
    assert mine == theirs


@pytest.mark.proves("BR-03")
@pytest.mark.parametrize("spelling", [JOB.upper(), JOB.replace("-", ""), JOB[:-1], OTHER])
def test_another_spelling_or_another_id_is_content(spelling: str) -> None:
    content = spelling.encode()
    assert elided_digest(content, job_id=JOB) == segments(content)


@pytest.mark.proves("BR-03")
def test_paths_are_not_elided() -> None:
    paths = [f"runs/{job}/task.json" for job in (JOB, OTHER)]
    mine, theirs = (inputs_digest([(path, b"{}")], job_id=JOB) for path in paths)
    assert mine == framed((paths[0], segments(b"{}")))
    assert mine != theirs


@pytest.mark.proves("G-25")
def test_a_preparer_may_not_put_the_job_id_into_a_path() -> None:
    require_paths_without_job_id(["a.md", f"runs/{OTHER}/a.md"], job_id=JOB)
    with pytest.raises(InvalidPath) as caught:
        require_paths_without_job_id(["a.md", f"runs/{JOB}/a.md"], job_id=JOB)
    assert caught.value.position == 2


class FourGibibytes(bytes):
    """Claims a length that no test could allocate."""

    __slots__ = ()

    def __len__(self) -> int:
        return 2**32


@pytest.mark.proves("G-25")
def test_a_file_of_four_gibibytes_is_refused() -> None:
    require_input_size(2**32 - 1)
    with pytest.raises(InvalidPath, match="4 GiB"):
        require_input_size(2**32)
    with pytest.raises(InvalidPath, match="4 GiB"):
        inputs_digest([("a", FourGibibytes())], job_id=JOB)


@pytest.mark.parametrize("job_id", ["", JOB.upper(), JOB.replace("-", ""), JOB + "\n", "{jobId}"])
def test_a_job_id_that_could_never_be_found_is_refused(job_id: str) -> None:
    with pytest.raises(InvalidText):
        inputs_digest([], job_id=job_id)
