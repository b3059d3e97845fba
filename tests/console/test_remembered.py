"""What was costly to make is made once, and makes room for what was asked for later."""

from evenhand.console.remembered import Remembered


def test_value_is_made_once_for_a_key() -> None:
    held, made = Remembered(), []

    def make() -> int:
        made.append(1)
        return len(made)

    assert [held.get("a", make), held.get("a", make), held.get("b", make)] == [1, 1, 2]


def test_what_was_asked_for_longest_ago_makes_room() -> None:
    held = Remembered(size=2)
    for key in ("a", "b", "a", "c"):
        held.get(key, lambda k=key: f"first {k}")  # type: ignore[misc]
    again = {key: held.get(key, lambda: "made anew") for key in ("a", "c", "b")}

    assert again == {"a": "first a", "c": "first c", "b": "made anew"}
