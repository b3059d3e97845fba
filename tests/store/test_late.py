"""A store that is looked for until it is there."""

from pathlib import Path

from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.store.late import LateStore
from tests.builders import a_set


def test_reading_makes_nothing_and_writing_makes_the_store(tmp_path: Path) -> None:
    file = tmp_path / "new" / "store.db"
    late = LateStore(f"sqlite:///{file}", clock=SystemClock(), ids=UuidV7Ids())
    before = late.read(lambda uow: uow.golden_sets.list_all())
    was_made = file.exists()
    late.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=uow.now()))
    after = late.read(lambda uow: uow.golden_sets.list_all())
    late.close()

    assert (before, was_made) == ((), False)
    assert [row[0] for row in after] == ["tiny"]


def test_store_that_somebody_else_makes_is_found(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    parts = {"clock": SystemClock(), "ids": UuidV7Ids()}
    late, other = LateStore(url, **parts), LateStore(url, **parts)  # type: ignore[arg-type]
    assert late.read(lambda uow: uow.golden_sets.list_all()) == ()
    other.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=uow.now()))

    assert len(late.read(lambda uow: uow.golden_sets.list_all())) == 1
    late.close()
    other.close()
