"""Who judges grounding without a model? Rules over words, numbers, names and negations.

The output goes the way of a model's: candidates that the hub keeps or refuses. It holds no text of
the answer, only the positions of its sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from evenhand.adapters.reviewers.scaffolding import RUBRIC, Scaffolding
from evenhand.core.review.grounding import (
    ClaimState,
    Grounding,
    Judgement,
    Rules,
    judge_grounding,
)
from evenhand.core.review.review_case import ANSWER, PASSAGES, QUESTION, passage_path
from evenhand.core.review.reviewer import COMMON_MEMBERS, Found, Used
from evenhand.core.review.usage import Rates, Tokens

#: What the configuration of such a review says.
PROTOCOL: Final = "evenhand-rules"
MODEL: Final = "grounding-rules-v1"
RULES: Final = "rules.json"
_NOTHING: Final = Used(
    calls=0,
    tokens=Tokens(input=0, cached_input=0, output=0),
    rates=Rates(input=Decimal(0), cached_input=Decimal(0), output=Decimal(0)),
)
_MAJOR: Final = frozenset(
    {ClaimState.NUMBER_MISSING, ClaimState.NAME_MISSING, ClaimState.POLARITY_DIFFERS}
)
_MOST_TOLD: Final = 100


class RuleReviewer:
    """The deterministic reviewer; implements `core.review.reviewer.Reviewer`.

    Args:
        scaffolding: whose rubric is in the prompt digest.
        practice: name of the practice that it judges.
        rules: in the prompt digest as well.
    """

    def __init__(self, scaffolding: Scaffolding, *, practice: str, rules: Rules | None = None):
        self._rules = rules or Rules()
        self._practice = practice
        self._files = ((RUBRIC, scaffolding.rubric), (RULES, self._rules.text.encode()))

    @property
    def scaffolding(self) -> Sequence[tuple[str, bytes]]:
        """The rubric and the rules."""
        return self._files

    def carries_out(self, config: Mapping[str, Any]) -> bool:
        """Whether a configuration asks for these rules, and for nothing else."""
        asked = (config.get("apiProtocol"), config.get("upstreamModelId"))
        # Another member would be in the identity of the behaviour and change nothing.
        return asked == (PROTOCOL, MODEL) and config.keys() <= COMMON_MEMBERS

    def review(
        self,
        staged: Mapping[str, bytes],
        config: Mapping[str, Any],
        *,
        seconds: float,
    ) -> Found:
        """One candidate; the same staged files give the same one."""
        texts = {path: content.decode("utf-8", "replace") for path, content in staged.items()}
        places = sum(path.startswith(f"{PASSAGES}/") for path in texts)
        judgement = judge_grounding(
            texts[QUESTION],
            texts[ANSWER],
            [texts[passage_path(place)] for place in range(1, places + 1)],
            self._rules,
        )
        return Found(candidates=[self._candidate(judgement)], used=_NOTHING)

    def _candidate(self, judgement: Judgement) -> dict[str, object]:
        said: dict[str, object] = {"practice": self._practice, **_said(judgement)}
        return said


def _said(judgement: Judgement) -> dict[str, object]:
    checked = [one for one in judgement.claims if one.state is not ClaimState.NOT_CHECKABLE]
    faults = [one for one in checked if one.state.is_fault]
    rests_on = sorted({place for one in checked for place in one.passages[:1]})
    evidence = [passage_path(place) for place in rests_on]
    match judgement.verdict:
        case Grounding.GROUNDED:
            return {
                "presence": "present",
                "assessment": "good",
                "summary": f"Nothing is missing of {len(checked)} sentences that were checked.",
                "evidence": evidence,
            }
        case Grounding.NOT_GROUNDED:
            is_major = any(one.state in _MAJOR for one in faults)
            return {
                "presence": "absent",
                "assessment": "bad",
                "severity": "major" if is_major else "minor",
                "summary": f"{len(faults)} of {len(checked)} sentences were not found.",
                "rationale": "\n".join(
                    f"sentence {one.position}: {one.state.value}" for one in faults[:_MOST_TOLD]
                ),
                "evidence": evidence,
            }
        case Grounding.CANNOT_BE_JUDGED:
            return {
                "presence": "inconclusive",
                "summary": "No sentence of the answer could be checked.",
            }
