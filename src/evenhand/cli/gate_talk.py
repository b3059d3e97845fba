"""What does ``evenhand gate`` say on standard error: why the exit code is what it is, and what helps?"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from evenhand.cli.exits import Exit
from evenhand.cli.experiment import typed_again
from evenhand.cli.options import remark

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.cli.experiment import Experiment
    from evenhand.gating import GateRun


def say_why(app: App, done: GateRun, experiment: Experiment, code: Exit, *, quiet: bool) -> None:
    """On standard error why the exit code is not 0, or why 0 is a warning."""
    from evenhand.core.comparison.gate_result import GateState

    state = done.gated.result.state
    if code is Exit.WENT_WRONG:
        remark("error: a larger share of questions failed than max_failed_share allows")
    elif done.gated.comparison is None and code is Exit.NOT_COMPARABLE:
        others = _other_baselines(app, done, experiment)
        remark(_no_baseline(done, experiment, others))
    elif code is not Exit.PASS:
        remark(f"gate: {state.value}")
    elif state is GateState.INCONCLUSIVE:
        remark("warning: the gate is inconclusive, and the policy lets that pass")
    elif done.gated.comparison is None:
        remark("warning: no baseline; passed as a first result", quiet=quiet)


def _no_baseline(done: GateRun, experiment: Experiment, others: str) -> str:
    from evenhand.reports.safe_text import shown_text

    if done.gated.candidate.identity is None:
        return (
            "gate: the retriever does not say what it runs, so nothing can be compared with it; "
            "declare it as shown by evenhand run"
        )
    steps = []
    if done.record is None:
        steps.append(shlex.join(("evenhand", "run", experiment.golden_set, experiment.retriever)))
    steps.append("evenhand baseline set latest")
    if done.plan.has_file:
        steps.append("evenhand baseline export FILE")
    lines = "\n".join(f"  {shown_text(step, limit=None)}" for step in steps)
    message = f"gate: no baseline; --allow-first lets a first result pass, or set one:\n{lines}"
    return f"{message}\n{others}" if others else message


def _other_baselines(app: App, done: GateRun, experiment: Experiment) -> str:
    """How to hold the candidate against the baseline of another retriever, where one is set."""
    from evenhand.reports.safe_text import shown_text

    if done.plan.has_file or not done.plan.needs_store:
        return ""
    asked = done.evaluation.golden_set.identifier
    found = app.database.read(lambda uow: uow.baselines.list_active())
    retrievers = [one.retriever for one in found if one.set_identifier == asked]
    if not retrievers:
        return ""
    export = ("evenhand", "baseline", "export", "FILE", asked, retrievers[0])
    part = ("--holdout",) if experiment.is_holdout else ()
    again = ("evenhand", "gate", *typed_again(experiment), *part, "--baseline", "FILE")
    lines = "\n".join(f"  {shown_text(shlex.join(one), limit=None)}" for one in (export, again))
    return f"A baseline of another retriever is set; this holds the candidate against it:\n{lines}"
