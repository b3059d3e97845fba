"""The overview: what is new, or what to run."""

from evenhand.console.addresses import compare_address
from tests.builders import a_baseline, a_provenance, an_evaluation
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


@only_sqlite
def test_each_result_has_its_verdict_and_the_way_to_its_difference(console: Console) -> None:
    pinned = an_evaluation(provenance=a_provenance(corpus="corpus-0"))
    console.parts.database.run(lambda uow: uow.baselines.add(a_baseline(pinned)))
    one = console.add(an_evaluation(provenance=a_provenance()), number=2)
    other = console.add(an_evaluation(provenance=a_provenance(model="m")), number=3)
    last = console.add(an_evaluation(), number=4)
    page = console.get("/console/")
    links = [link for link in page.links() if "compare?" in link]

    assert links == [compare_address(one.id, other.id)]
    assert "Comparable difference Mismatch corpus" in page.text
    assert "Unknown provenance" in page.text
    assert compare_address(other.id, last.id) not in page.links()


@only_sqlite
def test_the_baseline_itself_and_the_first_of_a_series_are_told_apart(console: Console) -> None:
    fresh = an_evaluation(provenance=a_provenance())
    console.add(fresh, number=2)
    console.parts.database.run(lambda uow: uow.baselines.add(a_baseline(fresh, number=2)))
    text = console.get("/console/").text

    assert "First nothing earlier is the baseline itself" in text
    assert "none set" not in text
