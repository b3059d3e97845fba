"""No page asks the database for anything that would read a table from end to end."""

import re

from tests.console.browser.crawl import page_routes, pages_of
from tests.console.browser.sites import fill_site
from tests.console.conftest import Console, only_sqlite
from tests.store.test_indexes import explained, scans

#: A walk along an index in the order of time, or of sets by name, ends with the page.
IN_ORDER = re.compile(
    r"SCAN (\w+ USING (COVERING )?INDEX ix_\w+_time"
    r"|golden_set USING INDEX sqlite_autoindex_golden_set_1)"
)


@only_sqlite
def test_every_statement_of_every_page_is_served_by_an_index(console: Console) -> None:
    fill_site(console)
    pages = pages_of(console.get)
    found: dict[str, list[str]] = {}
    for route, address in pages.items():
        with explained() as plans:
            assert console.get(address).status == 200
        assert plans, route
        walks = [line for line in scans(plans) if not IN_ORDER.match(line)]
        if walks:
            found[route] = walks

    assert found == {}
    # What only a hub has is comparisons; their statements are looked at with the store's others.
    assert [one for one in page_routes() if one not in pages and "/comparisons" not in one] == []
