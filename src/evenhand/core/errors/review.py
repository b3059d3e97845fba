"""What of a review is unknown, refused, or no longer the caller's to do? See the tree in ``core.errors``."""

from __future__ import annotations

from evenhand.core.errors import Conflict, Fenced, Invalid, NotFound


class InvalidSnapshot(Invalid):
    """A configuration snapshot breaks a rule. Names the member, never its value.

    Attributes:
        code: ``invalid_config_snapshot``; ``credential_in_snapshot`` where a member reads as a
            secret; ``snapshot_ahead`` where its schema is newer than this release.
    """

    code = "invalid_config_snapshot"

    def __init__(self, rule: str, *, code: str = "invalid_config_snapshot") -> None:
        super().__init__(f"config_snapshot: {rule}")
        self.field = "config_snapshot"
        self.rule = rule
        self.code = code


class InvalidEvidence(Invalid):
    """An evidence snapshot contradicts itself or what is stored. Names the member."""

    code = "invalid_evidence"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class StrataNotMerged(Invalid):
    """More than one stratum was asked for as one; their rows are never added up."""

    code = "strata_not_merged"

    def __init__(self) -> None:
        self.field = "stratum"
        self.rule = "takes one stratum: rows of two are not added up, ask for each by itself"
        super().__init__(f"{self.field}: {self.rule}")


class ReviewNotFound(NotFound):
    """No job, revision, observation, feedback or stratum has this id.

    Attributes:
        code: such as ``agent_job_not_found``.
    """

    code = "agent_job_not_found"

    def __init__(self, noun: str) -> None:
        super().__init__(f"no {noun.replace('_', ' ')} has this id")
        self.code = f"{noun}_not_found"


class JobFenced(Fenced):
    """The state of a job, its attempt or its time does not allow the step.

    Attributes:
        code: ``job_not_queued``, ``job_not_running``, ``job_not_prepared``, ``job_backed_off``,
            ``retries_exhausted``, ``wrong_claim_token`` or ``deadline_passed``.
    """

    code = "job_not_running"

    def __init__(self, code: str, rule: str) -> None:
        super().__init__(rule, code=code)


class ModelUnavailable(Conflict):
    """What a claim resolved is not what the job was submitted for; the job is cancelled."""

    code = "model_unavailable"

    def __init__(self, member: str) -> None:
        super().__init__(f"{member}: the claim resolved another one; the job is cancelled")
        self.member = member


class ObservationsConflict(Conflict):
    """A job has one payload of observations, and it is another one; nothing was changed."""

    code = "observations_conflict"

    def __init__(self) -> None:
        super().__init__("the job's observations were another payload; nothing was changed")


class LabelsConflict(Conflict):
    """One person's label of a case at one time is stored, and says something else.

    Attributes:
        index: of the label among those that were given, from 0.
    """

    code = "labels_conflict"

    def __init__(self, index: int) -> None:
        self.index = index
        self.field = f"labels.{index}"
        self.rule = "the labeller has said something else of this case at this time"
        super().__init__(f"{self.field}: {self.rule}; nothing was changed")


class FeedbackConflict(Conflict):
    """A feedback is in a state that does not allow the step; nothing was changed.

    Attributes:
        code: ``feedback_state``, ``feedback_exists`` where the place is taken, or
            ``not_delivered`` where a reaction is to something that was not delivered.
    """

    code = "feedback_state"

    def __init__(self, rule: str, *, code: str = "feedback_state") -> None:
        super().__init__(f"{rule}; nothing was changed")
        self.rule = rule
        self.code = code
