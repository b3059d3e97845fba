"""What a digest stands for, and what it does not: bytes within its coverage, never a meaning."""

import hashlib

import pytest

from evenhand.core.identity.file_digests import inputs_digest, root_digest
from evenhand.core.review.snapshot import hold_snapshot
from evenhand.core.review.states import ArtifactKind
from tests.review_builders import JOB, a_config, identities

OTHER_JOB = JOB[:-1] + "2"


def own(job_id: str) -> list[tuple[str, bytes]]:
    return [("task.json", b'{"job": "' + job_id.encode() + b'"}')]


@pytest.mark.proves("R-20", "R-47")
def test_equal_inputs_digests_are_had_by_files_that_differ() -> None:
    one, other = own(JOB), own(OTHER_JOB)
    assert one != other
    assert inputs_digest(one, job_id=JOB) == inputs_digest(other, job_id=OTHER_JOB)


@pytest.mark.proves("R-21", "R-46")
def test_a_digest_tells_bytes_apart_that_mean_the_same_and_nothing_of_meaning() -> None:
    one = inputs_digest([("a.json", b'{"a": 1}')], job_id=JOB)
    other = inputs_digest([("a.json", b'{"a":1}')], job_id=JOB)
    assert one != other


@pytest.mark.proves("R-45", "R-08")
def test_a_digest_covers_every_byte_of_what_was_injected_and_nothing_else() -> None:
    files = [("a", b"one"), ("b", b"two")]
    digest = inputs_digest(files, job_id=JOB)
    for changed in ([("a", b"onf"), files[1]], [("c", b"one"), files[1]], files[:1]):
        assert inputs_digest(changed, job_id=JOB) != digest


@pytest.mark.proves("BR-04", "R-26")
def test_the_prompt_s_digest_leaves_out_what_the_configuration_pins() -> None:
    scaffolding = [("orchestrator.md", b"Judge."), ("prompts/ground.md", b"Each claim.")]
    prompt = root_digest(scaffolding)
    small, large = hold_snapshot(a_config()), hold_snapshot(a_config(temperature=1))
    strata = {
        identities(prompt_digest=prompt, config_digest=one.sha256).stratum
        for one in (small, large)
    }
    assert len(strata) == 2
    assert prompt == root_digest(scaffolding[::-1])


@pytest.mark.proves("BR-06", "G-23")
def test_paths_are_ordered_by_their_bytes_and_not_by_utf_16() -> None:
    high, private = "\U0001f600", "\uff5e"
    assert sorted([high, private], key=lambda path: path.encode("utf-16-be")) == [high, private]
    nothing = hashlib.sha256(b"").hexdigest().encode()
    framed = b"".join(path.encode() + b"\0" + nothing + b"\n" for path in (private, high))
    for files in ([(high, b""), (private, b"")], [(private, b""), (high, b"")]):
        assert root_digest(files) == hashlib.sha256(framed).hexdigest()


@pytest.mark.proves("BR-05", "G-24")
def test_every_injected_file_is_covered_wherever_it_was_staged() -> None:
    memory, disk = [("prompt.md", b"p")], [("evidence/passages.txt", b"d")]
    assert inputs_digest(memory + disk, job_id=JOB) != inputs_digest(memory, job_id=JOB)


@pytest.mark.proves("G-19")
def test_a_review_is_of_an_answer_or_of_a_retrieval_run() -> None:
    assert {one.value for one in ArtifactKind} == {"rag.answer", "rag.retrieval_run"}
