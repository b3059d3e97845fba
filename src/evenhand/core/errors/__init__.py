"""Which ways can something go wrong, and what is each called? One tree, stable codes.

::

    EvenhandError                    internal_error
    ├── Invalid (also ValueError)    invalid
    │   ├── InvalidLabel             invalid_label, sentinel_not_allowed
    │   ├── InvalidText              invalid_text
    │   ├── InvalidPath              unsafe_path
    │   ├── UnknownEncoding          unknown_encoding
    │   ├── InvalidGoldenSet         invalid_golden_set
    │   │   └── InvalidSuite         suite_size, suite_review, suite_corpus, corpus_digest,
    │   │                            retrieval_config_digest
    │   ├── InvalidFile              invalid_file
    │   │   ├── UnwritableFile       unwritable_file
    │   │   └── InvalidArchive       invalid_archive
    │   ├── InvalidCorpus            invalid_corpus
    │   ├── InvalidQrels             invalid_qrels
    │   ├── InvalidRanking           invalid_ranking
    │   ├── InvalidMeasure           invalid_measure
    │   ├── InvalidThreshold         invalid_threshold
    │   ├── InvalidSetting           invalid_setting
    │   │   └── InvalidRetrievalSettings  invalid_retrieval_settings
    │   ├── InvalidBaseline          invalid_baseline
    │   ├── GradesUnknown            grades_unknown
    │   ├── InvalidName              invalid_name
    │   ├── InvalidInput             invalid_input
    │   ├── InvalidValue             invalid_value
    │   ├── InvalidForm              invalid_form
    │   ├── InvalidUpstream          invalid_upstream, upstream_not_allowed
    │   ├── ReferenceRefused         unknown_project, unknown_binding, unknown_service_client,
    │   │                            unknown_artifact, unknown_runtime, unknown_deployment,
    │   │                            inactive_project, inactive_binding, inactive_service_client,
    │   │                            inactive_runtime, inactive_deployment, unknown_golden_set,
    │   │                            unknown_suite_revision, inactive_suite_revision, unknown_route,
    │   │                            unknown_practice_revision, unknown_observation
    │   ├── NotPublishable           not_publishable
    │   ├── IntentRefused            binding_not_stable, binding_of_other_capability,
    │   │                            client_of_other_binding, client_lacks_capability,
    │   │                            current_not_in_production, candidate_inactive,
    │   │                            candidate_in_production, candidate_route_inactive,
    │   │                            candidate_route_not_experiment,
    │   │                            candidate_route_of_other_deployment,
    │   │                            candidate_route_of_other_binding, corpus_mismatch,
    │   │                            retrieval_config_mismatch, index_refs_equal
    │   ├── CountsTooLarge           counts_too_large
    │   ├── ReportRejected           case_missing, case_repeated, case_unknown, request_missing,
    │   │                            request_unknown, request_not_completed,
    │   │                            request_of_other_deployment, query_digest_mismatch,
    │   │                            request_outside_claim, request_reused
    │   ├── InvalidReport            invalid_report, invalid_golden_set, question_missing,
    │   │                            question_repeated, question_unknown, set_contradicted,
    │   │                            window_missing, unknown_protocol, project_missing
    │   ├── InvalidSnapshot          invalid_config_snapshot, credential_in_snapshot,
    │   │                            snapshot_ahead
    │   ├── InvalidEvidence          invalid_evidence
    │   ├── StrataNotMerged          strata_not_merged
    │   ├── EventsRefused            events_refused
    │   └── InvalidEvent             invalid_event, event_field_missing, event_field_unknown
    ├── Unauthenticated              missing_credential, bad_credential
    ├── Forbidden                    forbidden, capability_missing
    │   ├── FormRefused              form_refused
    │   └── NotDesignatedClient      not_designated_client
    ├── NotFound                     not_found
    │   ├── GoldenSetNotFound        golden_set_not_found
    │   ├── RetrieverNotFound        retriever_not_found
    │   ├── EvaluationNotFound       evaluation_not_found
    │   ├── BaselineNotFound         baseline_not_found
    │   ├── CredentialNotFound       credential_not_found
    │   ├── ModelNotFound            model_not_found
    │   ├── ComparisonNotFound       comparison_not_found
    │   ├── ReviewNotFound           agent_job_not_found, practice_revision_not_found,
    │   │                            feedback_not_found, stratum_not_found
    │   ├── EventNotFound            event_not_found
    │   ├── QuestionNotFound         question_not_found
    │   └── RegisteredNotFound       project_not_found, binding_not_found,
    │                                service_client_not_found, artifact_not_found,
    │                                runtime_not_found, deployment_not_found,
    │                                model_route_not_found, suite_not_found,
    │                                suite_revision_not_found, practice_not_found
    ├── Conflict                     conflict
    │   ├── DuplicateIdentifier      duplicate_identifier
    │   ├── EvaluationExists         evaluation_exists
    │   ├── IdempotencyConflict      idempotency_conflict
    │   ├── IdempotencyRace          idempotency_race
    │   ├── CredentialExists         credential_exists
    │   ├── CredentialEnded          credential_ended
    │   ├── NameTaken                name_taken
    │   ├── StableRouteExists        stable_route_exists
    │   ├── SuiteInactive            suite_inactive
    │   ├── VersionConflict          version_conflict
    │   ├── ActiveIntentExists       active_intent_exists
    │   │   └── ActiveIntentRace     active_intent_race
    │   ├── ProcessNotLookedAt       process_not_looked_at
    │   ├── AlreadyClaimed           already_claimed
    │   ├── TargetChanged            target_changed
    │   ├── PinsMismatch             pins_digest_mismatch
    │   ├── CountsDecreased          counts_decreased
    │   ├── ResultConflict           result_conflict
    │   ├── ModelUnavailable         model_unavailable
    │   ├── ObservationsConflict     observations_conflict
    │   ├── LabelsConflict           labels_conflict
    │   ├── FeedbackConflict         feedback_state, feedback_exists, not_delivered
    │   ├── EventConflict            event_conflict, grain_conflict
    │   ├── ArchiveRefused           database_not_empty, archive_ahead, archive_of_other_lineage
    │   ├── ConstraintRefused        constraint_refused
    │   └── DowngradeBlocked         downgrade_blocked
    ├── Fenced                       fenced, wrong_claim_token, lease_expired, deadline_passed,
    │                                claim_interrupted, already_terminal, not_claimed,
    │                                cancellation_requested, cancellation_not_requested,
    │                                lease_unknown
    │   └── PinsNotMatched           pins_not_matched
    │   └── JobFenced                job_not_queued, job_not_running, job_not_prepared,
    │                                job_backed_off, retries_exhausted, wrong_claim_token,
    │                                deadline_passed
    ├── EvaluationFailed             evaluation_failed
    │   ├── ProvenanceFailed         provenance_failed
    │   ├── NothingScored            nothing_scored
    │   └── TooManyFailed            too_many_failed
    ├── RetrievalFailed              retrieval_failed, or a code of its own
    ├── CodeFailed                   code_failed
    ├── RateLimited                  rate_limited
    ├── UpstreamFailed               upstream_failed, or a code of core/gateway/failure.py
    ├── HubRefused                   hub_refused
    ├── HubUnavailable               hub_unavailable
    ├── UntrustedQuery               query_edited, query_unreviewed
    ├── MissingExtra                 missing_extra
    ├── DatabaseUnavailable          database_unavailable, database_busy, database_damaged,
    │                                outcome_unknown, writer_full, writer_stopped,
    │                                hub_full
    └── DatabaseNotReady             database_absent, database_behind, database_ahead,
                                     foreign_lineage, schema_drift, unclean_database,
                                     restore_unfinished

The families are here, with what belongs to no noun; the rest stands with its noun in a module of
this package, so that whoever needs one loads no other.

A message names the thing, the value found and the value expected. It never holds a secret,
the text of a query or of a document, nor a label that was refused: such a value may be a secret.
"""

from __future__ import annotations


class EvenhandError(Exception):
    """Root of everything that Evenhand raises on purpose.

    Attributes:
        code: stable snake-case name; tools match on it, never on the message.
        place: file, table and key of the configuration where the value was written that is wrong;
            the message ends with it. None where it came from elsewhere.
        lines: lines to paste that would help, None without any. No part of the message.
    """

    code: str = "internal_error"
    place: str | None = None
    lines: str | None = None

    def __str__(self) -> str:
        said = super().__str__()
        return said if self.place is None else f"{said} ({self.place})"


class Invalid(EvenhandError, ValueError):
    """A value breaks a rule; nothing was changed."""

    code = "invalid"


class InvalidText(Invalid):
    """Text cannot be held as bytes (lone surrogate, NUL, wrong type)."""

    code = "invalid_text"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidFile(Invalid):
    """A file cannot be read as what it should be. Names file, line (from 1) and rule."""

    code = "invalid_file"

    def __init__(self, file: str, rule: str, *, line: int | None = None) -> None:
        super().__init__(f"{file}: {rule}" if line is None else f"{file}, line {line}: {rule}")
        self.file = file
        self.rule = rule
        self.line = line


class UnwritableFile(InvalidFile):
    """A file that was to hold output cannot be written, through no fault of its name."""

    code = "unwritable_file"


class InvalidSetting(Invalid):
    """A setting is malformed. Names the setting and where it was found, not its value."""

    code = "invalid_setting"

    def __init__(self, name: str, rule: str, *, source: str | None = None) -> None:
        where = name if source is None else f"{name} ({source})"
        super().__init__(f"{where}: {rule}")
        self.name = name
        self.rule = rule
        self.source = source


class InvalidName(Invalid):
    """A name breaks the rule for names. The value, which may be a secret, is not repeated."""

    code = "invalid_name"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidValue(Invalid):
    """A value is out of its range, or does not go with another one. It is not repeated."""

    code = "invalid_value"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidEvent(Invalid):
    """An analytics event breaks its contract. Names the field, never the value.

    Attributes:
        code: ``event_field_missing``, ``event_field_unknown``, else ``invalid_event``.
    """

    code = "invalid_event"

    def __init__(self, field: str, rule: str, *, code: str = "invalid_event") -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.code = code


class NotFound(EvenhandError):
    """Something was named that is not there."""

    code = "not_found"


class Conflict(EvenhandError):
    """The request contradicts what is stored or registered."""

    code = "conflict"


class DuplicateIdentifier(Conflict):
    """Two things claim one identifier; a developer's error, so it fails at construction."""

    code = "duplicate_identifier"

    def __init__(self, kind: str, identifier: str) -> None:
        super().__init__(f"two {kind}s have the identifier {identifier!r}")
        self.kind = kind
        self.identifier = identifier


class Fenced(EvenhandError):
    """The holder's time, token or state does not allow the step."""

    code = "fenced"

    def __init__(self, rule: str, *, code: str = "fenced") -> None:
        super().__init__(rule)
        self.rule = rule
        self.code = code


class MissingExtra(EvenhandError):
    """An optional part is needed that is not installed."""

    code = "missing_extra"

    def __init__(self, need: str, extra: str, *, beside: str = "", instead: str = "") -> None:
        also = f" and {beside}" if beside else ""
        other = f"; {instead}" if instead else ""
        super().__init__(
            f"{need} needs an optional part: pip install 'evenhand[{extra}]'{also}{other}"
        )
        self.need = need
        self.extra = extra
