import stat
from pathlib import Path

from evenhand.adapters.embedders.cache_folder import open_cache_folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folder_is_for_its_owner_only_and_git_ignores_it(tmp_path: Path) -> None:
    folder = open_cache_folder(tmp_path)

    assert folder == tmp_path / ".evenhand" / "cache"
    assert mode(folder) == 0o700
    assert mode(tmp_path / ".evenhand") == 0o700
    assert (tmp_path / ".evenhand" / ".gitignore").read_text() == "*\n"


def test_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / ".evenhand" / "cache").mkdir(parents=True)
    (tmp_path / ".evenhand" / "cache").chmod(0o755)

    assert mode(open_cache_folder(tmp_path)) == 0o700


def test_opening_twice_keeps_what_is_there(tmp_path: Path) -> None:
    (open_cache_folder(tmp_path) / "kept").write_text("x")

    assert (open_cache_folder(tmp_path) / "kept").read_text() == "x"
