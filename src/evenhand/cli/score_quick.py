"""Scores what is typed in the usual way before click is imported, which takes longer than that.

Paths, measures, ``-q``, ``--json`` and ``--quiet`` are read here. Everything else is left to the
command.
"""

from __future__ import annotations

from evenhand.cli.score_runs import Asked, is_hits_file, print_scores, print_warnings, score_all

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

_MEASURE: Final = ("-m", "--measure")
_PER_QUERY: Final = frozenset(("-q", "--per-query"))
_JSON: Final = "--json"
_QUIET: Final = "--quiet"


def quick_score(arguments: list[str]) -> int | None:
    """Score, print and give the exit code; None where the command has to do it.

    Args:
        arguments: what stands behind ``evenhand score``.
    """
    asked = read_plain(arguments)
    if asked is None or not (asked.runs or is_hits_file(asked.qrels)):
        return None
    try:
        scored = score_all(asked)
        print_scores(scored, asked)
        print_warnings(scored, asked)
    except Exception as error:  # noqa: BLE001 -- said as every command says it
        from evenhand.cli.root import explain

        return explain(error)
    return 0


def read_plain(arguments: list[str]) -> Asked | None:
    """What plain words ask for; None where one of them is not plain.

    Args:
        arguments: as `quick_score`.
    """
    paths: list[str] = []
    measures: list[str] = []
    flags: set[str] = set()
    words = iter(arguments)
    for word in words:
        if word in _PER_QUERY or word in (_JSON, _QUIET):
            flags.add(word)
        elif word in _MEASURE:
            measures.append(next(words, ""))
        elif word.startswith("-"):
            return None
        else:
            paths.append(word)
    if not paths or "" in measures or "" in paths:
        return None
    return Asked(
        qrels=paths[0],
        runs=tuple(paths[1:]),
        measures=tuple(measures),
        per_query=bool(flags & _PER_QUERY),
        as_json=_JSON in flags,
        quiet=_QUIET in flags,
    )
