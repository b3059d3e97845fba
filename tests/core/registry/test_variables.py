"""Which variables may be read for upstreams: what is listed, and never one of Evenhand's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidText
from evenhand.core.registry.variables import (
    NO_VARIABLES,
    VariableAllow,
    parse_variable_allow,
    require_variable,
)

names = st.from_regex(r"[A-Z][A-Z0-9_]{0,12}", fullmatch=True)


@pytest.mark.parametrize("text", ["", " ", ",", " , "])
def test_an_empty_list_permits_nothing(text: str) -> None:
    assert parse_variable_allow(text) == NO_VARIABLES
    assert not NO_VARIABLES.permits("HOME")


def test_a_name_permits_itself_and_a_beginning_what_begins_so() -> None:
    allow = parse_variable_allow("KEY, MY_*,OTHER")
    assert allow == VariableAllow(names=frozenset({"KEY", "OTHER"}), prefixes=("MY_",))
    assert all(map(allow.permits, ("KEY", "OTHER", "MY_", "MY_KEY")))
    assert not any(map(allow.permits, ("KEY2", "KE", "key", "MY", "XMY_KEY", "HOME", "")))


@given(names, st.lists(names, max_size=3), st.lists(names, max_size=3))
def test_one_of_evenhand_s_own_is_permitted_by_nothing(
    rest: str, exact: list[str], prefixes: list[str]
) -> None:
    name = f"EVENHAND_{rest}"
    allow = VariableAllow(names=frozenset({*exact, name}), prefixes=(*prefixes, "EVEN", "E"))
    assert not allow.permits(name)
    assert allow.permits(f"EVEN_{rest}")


@pytest.mark.parametrize(
    "entry",
    ["*", "**", "A**", "A*B", "a", "1", "A B", "A-B", "\u017f", "EVENHAND_*", "EVENHAND_TOKEN"],
)
def test_an_entry_that_is_none_is_named_by_its_position(entry: str) -> None:
    with pytest.raises(InvalidText, match=r"^entry 2: must"):
        parse_variable_allow(f"KEY, {entry}")


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "must be the name of a variable"),
        ("SECRET-v", "must be the name of a variable"),
        ("KEY\n", "must be the name of a variable"),
        ("A" * 129, "must be the name of a variable"),
        ("EVENHAND_DATABASE_URL", "must not begin with EVENHAND_"),
        ("EVENHAND_", "must not begin with EVENHAND_"),
    ],
)
def test_a_name_of_another_shape_and_one_of_evenhand_s_own_are_refused(
    name: str, rule: str
) -> None:
    with pytest.raises(InvalidText, match=rf"^secret_env: {rule}") as refused:
        require_variable(name, "secret_env")
    assert "DATABASE" not in str(refused.value)
    assert "SECRET-" not in str(refused.value)


@pytest.mark.parametrize("name", ["A", "EVENHAND", "MY_EVENHAND_KEY", "A" * 128])
def test_any_other_name_may_be_registered(name: str) -> None:
    require_variable(name, "secret_env")
