"""The overview: what is new, or what to run."""

from tests.builders import an_evaluation
from tests.console.conftest import Console, only_sqlite


@only_sqlite
def test_overview_without_a_result_says_what_to_run(console: Console) -> None:
    page = console.get("/console/")

    assert "Nothing is evaluated yet" in page.text
    assert [given["data-copy"] for given in page.all("button", class_="copy needs-script")] == [
        "evenhand demo",
        "evenhand init",
        "evenhand run SET RETRIEVER",
    ]


def test_overview_shows_the_latest_results_newest_first(console: Console) -> None:
    for number in range(1, 12):
        console.add(an_evaluation(identifier=f"r{number}"), number=number)
    names = [w for w in console.get("/console/").text.split() if w[:1] == "r" and w[1:].isdigit()]

    assert names == [f"r{number}" for number in range(11, 3, -1)]
