"""Which golden set does a reference name? A path, an imported set, an entry point, an attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.beir import BeirSet
from evenhand.adapters.formats.sets import is_golden_set_path, read_golden_set
from evenhand.adapters.modules import is_absent, is_module_reference, load_attribute
from evenhand.core.errors import DuplicateIdentifier, InvalidSetting
from evenhand.core.errors.retrieval import CodeFailed, GoldenSetNotFound, InvalidGoldenSet
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.usecases.golden_sets import find_set, list_sets
from evenhand.usecases.ports import UnitOfWorkRunner

#: Entry points of this group name a `GoldenSet`, or a function without arguments that gives one.
ENTRY_POINT_GROUP: Final = "evenhand.golden_question_sets"

_WHAT: Final = "golden set"
_HELD_OUT: Final = (
    "is the part that a set holds out, which only evenhand gate SET RETRIEVER --holdout asks"
)


class Origin(StrEnum):
    """Where a golden set was found."""

    FILE = "file"
    FOLDER = "folder"
    IMPORTED = "imported"
    ENTRY_POINT = "entry point"
    MODULE = "module"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSet:
    """A golden set and where it was found.

    Attributes:
        golden_set: the questions.
        origin: where it was found.
        beir: what a BEIR folder said beside the questions, else None.
    """

    golden_set: GoldenSet
    origin: Origin
    beir: BeirSet | None = None

    @property
    def corpus(self) -> Path | None:
        """Where the corpus of a BEIR folder is; None for every other set."""
        return None if self.beir is None else self.beir.corpus


class GoldenSetRegistry:
    """Golden sets by identifier."""

    def __init__(self, golden_sets: Iterable[GoldenSet] = ()) -> None:
        """Register sets.

        Raises:
            DuplicateIdentifier: two of them have one identifier; a developer's error (BP-06).
        """
        self._sets: dict[str, GoldenSet] = {}
        for golden_set in golden_sets:
            if golden_set.identifier in self._sets:
                raise DuplicateIdentifier(_WHAT, golden_set.identifier)
            self._sets[golden_set.identifier] = golden_set

    def find(self, identifier: str) -> GoldenSet | None:
        """The set of this identifier, None where there is none."""
        return self._sets.get(identifier)

    def __iter__(self) -> Iterator[GoldenSet]:
        return iter(sorted(self._sets.values(), key=lambda golden_set: golden_set.identifier))


def load_registry(found: Iterable[EntryPoint] | None = None) -> GoldenSetRegistry:
    """The sets that installed packages give.

    Args:
        found: entry points, by default those of `ENTRY_POINT_GROUP`.

    Raises:
        DuplicateIdentifier: two sets have one identifier.
        InvalidSetting: an entry point leads nowhere.
        CodeFailed: the code behind an entry point raised.
        InvalidGoldenSet: an entry point gives no golden set.
    """
    points = entry_points(group=ENTRY_POINT_GROUP) if found is None else found
    return GoldenSetRegistry(_from_entry_point(point) for point in points)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSetContext:
    """What the resolution of a reference needs; the expensive parts are made when needed.

    Attributes:
        project_root: put on the import path for ``module:attribute``.
        database: gives the store.
        registry: gives the sets of installed packages.
    """

    project_root: Path
    database: Callable[[], UnitOfWorkRunner]
    registry: Callable[[], GoldenSetRegistry] = field(default=load_registry)


def resolve_golden_set(
    reference: str, context: GoldenSetContext, *, split: str | None = None
) -> ResolvedSet:
    """The golden set that a reference names.

    Tried in this order: a file or BEIR folder that exists, ``module:attribute``, the identifier
    of an imported set, that of a set of an installed package.

    Args:
        reference: what the user typed.
        context: where to look.
        split: judgements of a BEIR folder, see `read_beir`; for nothing else.

    Raises:
        GoldenSetNotFound: nothing has this name; the known identifiers are listed.
        InvalidFile: the file or folder breaks a rule.
        InvalidSetting, InvalidGoldenSet: the module cannot be used or gives no golden set, or a
            split was asked of something that has none.
        CodeFailed: the module raised when it was imported.
    """
    path = Path(reference)
    if is_golden_set_path(path):
        read = read_golden_set(path, split=split)
        origin = Origin.FILE if read.beir is None else Origin.FOLDER
        return ResolvedSet(golden_set=read.golden_set, origin=origin, beir=read.beir)
    if split is not None:
        raise InvalidSetting("split", "only a BEIR folder has splits")
    if is_module_reference(reference):
        found = load_attribute(reference, context.project_root, what=_WHAT)
        return ResolvedSet(golden_set=_require_set(found, reference), origin=Origin.MODULE)
    imported = context.database().read(lambda uow: find_set(uow, reference))
    if imported is not None:
        return ResolvedSet(golden_set=imported, origin=Origin.IMPORTED)
    registry = context.registry()
    registered = registry.find(reference)
    if registered is not None:
        return ResolvedSet(golden_set=registered, origin=Origin.ENTRY_POINT)
    if path.exists():
        read_golden_set(path)  # says what is wrong with it
    kept = context.database().read(list_sets)
    known = {one.identifier for one in kept} | {one.identifier for one in registry}
    raise GoldenSetNotFound(reference, tuple(sorted(known)))


def _from_entry_point(point: EntryPoint) -> GoldenSet:
    try:
        found = point.load()
    except Exception as error:
        # Whatever the package raises at import; its message may hold anything.
        if is_absent(point.module, error) or isinstance(error, AttributeError):
            raise InvalidSetting(_named(point), _not_loaded(error)) from error
        raise CodeFailed(_named(point), _not_loaded(error)) from error
    return _require_set(found, point.name)


def _require_set(found: object, name: str) -> GoldenSet:
    given = found() if callable(found) else found
    if not isinstance(given, GoldenSet):
        raise InvalidGoldenSet(_no_set(name, given))
    require_asked(given)
    return given


def require_asked(golden_set: GoldenSet) -> None:
    """Refuse the part that a set holds out, which only ``evenhand gate --holdout`` may ask.

    Raises:
        InvalidSetting: it is such a part.
    """
    if golden_set.is_holdout:
        raise InvalidSetting("golden set", _HELD_OUT)


def _named(point: EntryPoint) -> str:
    return f"entry point {point.name!r} of {ENTRY_POINT_GROUP}"


def _not_loaded(error: Exception) -> str:
    return f"cannot be loaded ({type(error).__name__})"


def _no_set(name: str, given: object) -> str:
    return f"{name!r} gives {type(given).__name__}, not a GoldenSet"
