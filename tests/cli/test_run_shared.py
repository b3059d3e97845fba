"""``evenhand run`` over the shared collections, where they are at hand."""

import re

import pytest

from tests.cli.typed import Cli, write_module
from tests.shared_data import shared_data


@pytest.mark.parametrize(
    ("name", "attempted", "no_answer", "unjudged"),
    [
        ("scifact", 300, 0, 0),
        ("cranfield", 225, 0, 0),
        ("squad2-dev-half", 6078, 3168, 0),
        ("mtrag-un", 507, 97, 78),
    ],
)
def test_a_built_in_runs_on_a_real_collection(
    cli: Cli, name: str, attempted: int, no_answer: int, unjudged: int
) -> None:
    folder = str(shared_data(name))

    found = cli.json("run", folder, "bm25", "-q")

    counts = found["counts"]
    assert (counts["attempted"], counts["no_answer"], counts["unjudged"]) == (
        attempted,
        no_answer,
        unjudged,
    )
    assert found["verdict"]["state"] == "baseline"
    # It finds what a retriever of its kind finds, and never abstains, which is said.
    assert found["rates"]["success_at_3"]["value"] > 0.6
    assert found["flags"]["never_abstained"] is (no_answer > 0)


def test_an_empty_retriever_on_a_real_collection_is_flagged(cli: Cli) -> None:
    folder = str(shared_data("squad2-dev-half"))
    write_module("def find(question, limit):\n    return []\n")

    assert cli.run("run", folder, "search:find", "-q") == 0

    head, _, rest = cli.out.partition("\nattempted 6078 ")
    rows = dict(re.findall(r"^  (\S.*?) +(\d\.\d{3} \(\d+ of \d+\))", head, re.MULTILINE))
    assert rows == {
        "Success@1": "0.000 (0 of 2910)",
        "Success@3": "0.000 (0 of 2910)",
        "Abstention": "1.000 (3168 of 3168)",
        "False abstention": "1.000 (2910 of 2910)",
    }
    assert "! The retriever returned nothing for any question." in rest
    # The pooled rate is told, and that it comes from no-answer questions alone.
    assert "0.521" not in head
    assert re.search(r"all +6078 +0\.521 \(3168 of 6078\)", rest)
