"""Which measure does a name mean, and what is it called?

Names are in ir_measures spelling: ``nDCG@10``, ``AP(rel=2)@100``, ``IPrec@0.1``,
``nDCG(dcg='exp-log2')@10``. A name is brought to its canonical form, which identities and reports
use: ``str(parse_measure(name))``.

Aliases, each for one canonical name: those of ir_measures (``MAP``, ``MRR``, ``NDCG``,
``Precision``, ``Recall``, ``BPref``, ``RPrec``, ``NumRelRet``), and the names that trec_eval and
pytrec_eval print (``map``, ``map_cut_10``, ``P_10``, ``recall_100``, ``success_1``, ``ndcg``,
``ndcg_cut_10``, ``recip_rank``, ``bpref``, ``iprec_at_recall_0.10``, ``set_P``, ``set_recall``,
``num_q``, ``num_ret``, ``num_rel``, ``num_rel_ret``; a dot may stand before the number). ``RBP``
is binary here and means ``RBP(rel=1)``. Everything else is refused, with the place and the rule.
"""

from __future__ import annotations

from evenhand.core.errors.retrieval import InvalidMeasure
from evenhand.core.scoring.measures import MAX_EXPONENT, Measure
from evenhand.core.scoring.query_values import Family
from evenhand.core.scoring.records import Record

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping
    from typing import Final

# Compiled where they are used: what is asked for is mostly spelt plainly.
_NAME: Final = (
    r"\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*(?:\((?P<inside>[^()@]*)\)\s*)?(?:@(?P<at>[^()@]*))?"
)
_PRINTED: Final = r"\s*(?P<name>[A-Za-z_]+?)(?:[_.](?P<at>[0-9]+(?:\.[0-9]+)?))?\s*"
_DECIMAL: Final = r"(?:[0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,20})"
_WHOLE_DIGITS: Final = 9

_WHOLE_RULE: Final = "must be a whole number from 1 to 999999999"
_REL_RULE: Final = f"{_WHOLE_RULE}; grades of 0 and below are never relevant"


class _Rules(Record):
    """What may be said of a family: its parameters, and whether a cutoff may or must follow."""

    parameters: tuple[str, ...] = ()
    cutoff: str = "none"
    example: str = ""


_FAMILIES: Final[Mapping[Family, _Rules]] = {
    Family.P: _Rules(("rel",), "needed", "P@10"),
    Family.R: _Rules(("rel",), "needed", "R@100"),
    Family.SUCCESS: _Rules(("rel",), "needed", "Success@3"),
    Family.RR: _Rules(("rel",), "possible"),
    Family.AP: _Rules(("rel",), "possible"),
    # Gains are the grades themselves: trec_eval's ndcg knows no level of relevance either.
    Family.NDCG: _Rules(("dcg",), "possible"),
    Family.RPREC: _Rules(("rel",)),
    Family.BPREF: _Rules(("rel",)),
    Family.IPREC: _Rules(("rel",), "recall", "IPrec@0.1"),
    Family.RBP: _Rules(("p", "rel"), "possible"),
    Family.ERR: _Rules(("max_rel",), "possible"),
    Family.JUDGED: _Rules((), "possible"),
    Family.SETP: _Rules(("rel",)),
    Family.SETR: _Rules(("rel",)),
    Family.NUMQ: _Rules(),
    Family.NUMRET: _Rules(("rel",)),
    Family.NUMREL: _Rules(("rel",)),
}

#: Of ir_measures: another word for a family.
_SYNONYMS: Final[Mapping[str, str]] = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "BPref": "Bpref",
    "RPrec": "Rprec",
}

#: Of trec_eval, with and without the number that its output appends.
_PRINTED_CUT: Final[Mapping[str, Family]] = {
    "P": Family.P,
    "recall": Family.R,
    "success": Family.SUCCESS,
    "map_cut": Family.AP,
    "ndcg_cut": Family.NDCG,
    "iprec_at_recall": Family.IPREC,
}
_PRINTED_WHOLE: Final[Mapping[str, str]] = {
    # NumRelRet is of ir_measures, and stands here for being more than a word.
    "map": "AP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "set_P": "SetP",
    "set_recall": "SetR",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    "NumRelRet": "NumRet(rel=1)",
}

#: Every family, by its canonical word.
MEASURE_FAMILIES: Final = tuple(family.value for family in Family)


def parse_measure(name: str) -> Measure:
    """The measure that a name or an alias means; ``str`` of it is the canonical name.

    Args:
        name: such as ``nDCG@10``; blanks around its parts do not matter.

    Raises:
        InvalidMeasure: no such measure, or a cutoff or parameter that it does not take. The error
            names the first character that is wrong, the rule, and names that are near.
    """
    if (plain := _plain(name)) is not None:
        return plain
    import re

    printed = re.fullmatch(_PRINTED, name)
    if printed is not None and printed["at"] is None and printed["name"] in _PRINTED_WHOLE:
        return parse_measure(_PRINTED_WHOLE[printed["name"]])
    if printed is not None and printed["at"] is not None and printed["name"] in _PRINTED_CUT:
        measure = Measure(family=_PRINTED_CUT[printed["name"]])
        return _with_at(name, measure, printed["at"], printed.start("at") + 1)
    found = re.match(_NAME, name)
    if found is None or found.end() != len(name):
        at = 0 if found is None else found.end()
        raise InvalidMeasure(name, "must read NAME, NAME@CUTOFF or NAME(parameter=value)", at + 1)
    measure = Measure(family=_family(name, found))
    if found["inside"] is not None:
        measure = _with_parameters(name, measure, found["inside"], found.start("inside"))
    return _finished(_with_cutoff(name, measure, found))


def parse_measures(names: Iterable[str]) -> tuple[Measure, ...]:
    """The measures of some names, in order, each once whatever it is called.

    Raises:
        InvalidMeasure: as :func:`parse_measure`, for the first name that is wrong.
    """
    return tuple(dict.fromkeys(parse_measure(name) for name in names))


def _plain(name: str) -> Measure | None:
    """A family's own word, with or without a cutoff that it takes; None for anything else."""
    word, at, cutoff = name.partition("@")
    if word not in MEASURE_FAMILIES:
        return None
    measure = Measure(family=Family(word))
    kind = _FAMILIES[measure.family].cutoff
    if at:
        is_right = kind in ("needed", "possible") and _is_whole(cutoff)
        return _finished(measure.replaced(cutoff=int(cutoff))) if is_right else None
    return None if kind in ("needed", "recall") else _finished(measure)


def _family(name: str, found: re.Match[str]) -> Family:
    word = _SYNONYMS.get(found["name"], found["name"])
    if word in MEASURE_FAMILIES:
        return Family(word)
    if (cut := _PRINTED_CUT.get(word)) is not None:
        # A family that trec_eval prints at several cutoffs at once.
        raise InvalidMeasure(name, _needs(cut), found.end("name") + 1)
    raise InvalidMeasure(name, "no such measure", found.start("name") + 1, near=_near(word))


def _near(word: str) -> tuple[str, ...]:
    from difflib import get_close_matches

    known = [*MEASURE_FAMILIES, *_SYNONYMS, *_PRINTED_WHOLE]
    by_case = {one.lower(): _SYNONYMS.get(one) or _PRINTED_WHOLE.get(one, one) for one in known}
    near = get_close_matches(word.lower(), by_case, n=3, cutoff=0.6)
    return tuple(dict.fromkeys(by_case[one] for one in near))


def _needs(family: Family) -> str:
    what = "level of recall" if family is Family.IPREC else "cutoff"
    return f"needs a {what}, such as {_FAMILIES[family].example or f'{family}@10'}"


def _with_parameters(name: str, measure: Measure, inside: str, start: int) -> Measure:
    stated: set[str] = set()
    for part in inside.split(","):
        at = start + len(part) - len(part.lstrip()) + 1
        key, equals, value = (one.strip() for one in part.partition("="))
        if not equals:
            raise InvalidMeasure(name, "a parameter must read name=value", at)
        if key in stated:
            raise InvalidMeasure(name, f"{key} is stated a second time", at)
        stated.add(key)
        measure = _with_parameter(name, measure, (key, value), at)
        start += len(part) + 1
    return measure


def _with_parameter(
    name: str, measure: Measure, stated: tuple[str, str], position: int
) -> Measure:
    key, value = stated
    known = _FAMILIES[measure.family].parameters
    if key not in known:
        takes = f"takes {' and '.join(known)} only" if known else "takes no parameters"
        raise InvalidMeasure(name, f"{measure.family} {takes}", position)
    match key:
        case "rel":
            return measure.replaced(rel=_whole(name, value, f"rel {_REL_RULE}", position))
        case "p":
            p = _decimal(name, value, "p must be a number between 0 and 1", position)
            if not 0.0 < p < 1.0:
                raise InvalidMeasure(name, "p must be a number between 0 and 1", position)
            return measure.replaced(p=p)
        case "dcg":
            if value.strip("'\"") not in ("log2", "exp-log2"):
                raise InvalidMeasure(name, "dcg must be 'log2' or 'exp-log2'", position)
            return measure.replaced(exponential=value.strip("'\"") == "exp-log2")
        case _:
            rule = f"max_rel must be a whole number from 1 to {MAX_EXPONENT}"
            highest = _whole(name, value, rule, position)
            if highest > MAX_EXPONENT:
                raise InvalidMeasure(name, rule, position)
            return measure.replaced(max_rel=highest)


def _with_cutoff(name: str, measure: Measure, found: re.Match[str]) -> Measure:
    if found["at"] is not None:
        return _with_at(name, measure, found["at"].strip(), found.start("at") + 1)
    if _FAMILIES[measure.family].cutoff in ("needed", "recall"):
        raise InvalidMeasure(name, _needs(measure.family), len(found[0]) + 1)
    return measure


def _with_at(name: str, measure: Measure, value: str, position: int) -> Measure:
    match _FAMILIES[measure.family].cutoff:
        case "none":
            raise InvalidMeasure(name, f"{measure.family} takes no cutoff", position)
        case "recall":
            rule = "the level of recall must be a number from 0 to 1"
            recall = _decimal(name, value, rule, position)
            if recall > 1.0:
                raise InvalidMeasure(name, rule, position)
            return measure.replaced(recall=recall)
        case _:
            cutoff = _whole(name, value, f"the cutoff {_WHOLE_RULE}", position)
            return measure.replaced(cutoff=cutoff)


def _finished(measure: Measure) -> Measure:
    """One spelling for one meaning: a level of 1 goes without saying, except where it does not."""
    match measure.family:
        case Family.NUMRET:
            return measure
        case Family.RBP:
            # ir_measures' RBP without rel is graded, on a scale that it does not name.
            return measure.replaced(rel=measure.level)
        case _:
            return measure.replaced(rel=measure.rel if measure.level > 1 else None)


def _is_whole(value: str) -> bool:
    is_number = value.isascii() and value.isdecimal() and len(value) <= _WHOLE_DIGITS
    return is_number and not value.startswith("0")


def _whole(name: str, value: str, rule: str, position: int) -> int:
    if not _is_whole(value):
        raise InvalidMeasure(name, rule, position)
    return int(value)


def _decimal(name: str, value: str, rule: str, position: int) -> float:
    import re

    if not re.fullmatch(_DECIMAL, value):
        raise InvalidMeasure(name, rule, position)
    return float(value)
