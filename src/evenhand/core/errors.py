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
    │   ├── InvalidUpstream          invalid_upstream, upstream_not_allowed
    │   ├── ReferenceRefused         unknown_project, unknown_binding, unknown_service_client,
    │   │                            unknown_artifact, unknown_runtime, unknown_deployment,
    │   │                            inactive_project, inactive_binding, inactive_service_client,
    │   │                            inactive_runtime, inactive_deployment, unknown_golden_set
    │   ├── NotPublishable           not_publishable
    │   ├── InvalidReport            invalid_report, invalid_golden_set, question_missing,
    │   │                            question_repeated, question_unknown, set_contradicted,
    │   │                            window_missing, unknown_protocol, project_missing
    │   └── InvalidEvent             invalid_event
    ├── Unauthenticated              missing_credential, bad_credential
    ├── Forbidden                    forbidden, capability_missing
    ├── NotFound                     not_found
    │   ├── GoldenSetNotFound        golden_set_not_found
    │   ├── RetrieverNotFound        retriever_not_found
    │   ├── EvaluationNotFound       evaluation_not_found
    │   ├── BaselineNotFound         baseline_not_found
    │   ├── CredentialNotFound       credential_not_found
    │   ├── ModelNotFound            model_not_found
    │   └── RegisteredNotFound       project_not_found, binding_not_found,
    │                                service_client_not_found, artifact_not_found,
    │                                runtime_not_found, deployment_not_found,
    │                                model_route_not_found, suite_not_found,
    │                                suite_revision_not_found
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
    │   ├── ArchiveRefused           database_not_empty, archive_ahead, archive_of_other_lineage
    │   ├── ConstraintRefused        constraint_refused
    │   └── DowngradeBlocked         downgrade_blocked
    ├── Fenced                       fenced
    ├── EvaluationFailed             evaluation_failed
    │   ├── ProvenanceFailed         provenance_failed
    │   ├── NothingScored            nothing_scored
    │   └── TooManyFailed            too_many_failed
    ├── RetrievalFailed              retrieval_failed, or a code of its own
    ├── CodeFailed                   code_failed
    ├── UpstreamFailed               upstream_failed, or a code of core/gateway/failure.py
    ├── HubRefused                   hub_refused
    ├── HubUnavailable               hub_unavailable
    ├── MissingExtra                 missing_extra
    ├── DatabaseUnavailable          database_unavailable, database_busy, database_damaged,
    │                                outcome_unknown, writer_full, writer_stopped
    └── DatabaseNotReady             database_absent, database_behind, database_ahead,
                                     foreign_lineage, schema_drift, unclean_database,
                                     restore_unfinished

A message names the thing, the value found and the value expected. It never holds a secret,
the text of a query or of a document, nor a label that was refused: such a value may be a secret.
"""

from __future__ import annotations

#: Characters of a name of somebody else's that a message repeats.
_NAME_SHOWN = 80


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


class InvalidLabel(Invalid):
    """A provenance label breaks the label rule. The value is never repeated."""

    code = "invalid_label"

    def __init__(self, field: str, rule: str, *, code: str = "invalid_label") -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.code = code


class InvalidText(Invalid):
    """Text cannot be held as bytes (lone surrogate, NUL, wrong type)."""

    code = "invalid_text"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidPath(Invalid):
    """A path of an injected file is unsafe to digest."""

    code = "unsafe_path"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "path" if position is None else f"path {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class UnknownEncoding(Invalid):
    """A tagged value has an encoding, version or spelling that no reader knows."""

    code = "unknown_encoding"

    def __init__(self, rule: str) -> None:
        super().__init__(f"tagged value: {rule}")
        self.rule = rule


class InvalidGoldenSet(Invalid):
    """A golden question or a golden set breaks a rule."""

    code = "invalid_golden_set"

    def __init__(self, rule: str, *, question: int | None = None) -> None:
        where = "golden set" if question is None else f"question {question}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.question = question


class InvalidSuite(InvalidGoldenSet):
    """A golden set cannot be frozen as a suite; the code says which rule is broken (G-47).

    Attributes:
        code: ``suite_size``, ``suite_review``, ``suite_corpus``, ``corpus_digest`` or
            ``retrieval_config_digest``.
        rule: what is wrong, in numbers; no id and no text of a question.
    """

    code = "invalid_suite"

    def __init__(self, code: str, rule: str) -> None:
        super().__init__(rule)
        self.code = code


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


class InvalidArchive(InvalidFile):
    """A file is no archive of a database, or not a whole one. Names member, line and rule."""

    code = "invalid_archive"

    def __init__(
        self, file: str, rule: str, *, member: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(file if member is None else f"{file}, {member}", rule, line=line)
        self.member = member


class InvalidCorpus(Invalid):
    """A corpus or its manifest breaks a rule."""

    code = "invalid_corpus"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "corpus" if position is None else f"corpus, document {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class InvalidQrels(Invalid):
    """Relevance judgements break a rule."""

    code = "invalid_qrels"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "qrels" if position is None else f"qrels, row {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class InvalidRanking(Invalid):
    """What a retriever or a run file gave is not a ranking."""

    code = "invalid_ranking"

    def __init__(self, rule: str, *, position: int | None = None) -> None:
        where = "ranking" if position is None else f"ranking, result {position}"
        super().__init__(f"{where}: {rule}")
        self.rule = rule
        self.position = position


class InvalidMeasure(Invalid):
    """A name of a measure cannot be read. Names the first wrong character, from 1, and the rule."""

    code = "invalid_measure"

    def __init__(self, name: str, rule: str, position: int, near: tuple[str, ...] = ()) -> None:
        hint = f" (near: {', '.join(near)})" if near else ""
        shown = name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
        super().__init__(f"measure {shown!r}, character {position}: {rule}{hint}")
        self.name = name
        self.rule = rule
        self.position = position
        self.near = near


class InvalidThreshold(Invalid):
    """A tolerance or share is not a decimal number within its range."""

    code = "invalid_threshold"

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name}: {rule}")
        self.name = name
        self.rule = rule


class InvalidSetting(Invalid):
    """A setting is malformed. Names the setting and where it was found, not its value."""

    code = "invalid_setting"

    def __init__(self, name: str, rule: str, *, source: str | None = None) -> None:
        where = name if source is None else f"{name} ({source})"
        super().__init__(f"{where}: {rule}")
        self.name = name
        self.rule = rule
        self.source = source


class InvalidRetrievalSettings(InvalidSetting):
    """Retrieval settings of a suite hold what cannot be digested, or too much of it.

    Attributes:
        field: what they are called wherever they are given.
    """

    code = "invalid_retrieval_settings"
    field = "retrieval_settings"

    def __init__(self, rule: str, *, level: int | None = None) -> None:
        where = self.field if level is None else f"{self.field}, level {level}"
        super().__init__(where, rule)


class InvalidBaseline(Invalid):
    """A result cannot be a baseline."""

    code = "invalid_baseline"

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class GradesUnknown(Invalid):
    """The grades of the judgements behind a result were not kept, so a measure has no value."""

    code = "grades_unknown"

    def __init__(self, why: str = "the grades of its judgements were not kept") -> None:
        super().__init__(why)
        self.why = why


class InvalidName(Invalid):
    """A name breaks the rule for names. The value, which may be a secret, is not repeated."""

    code = "invalid_name"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidInput(Invalid):
    """What a client wants embedded breaks a rule. Names the item's position, from 0, only."""

    code = "invalid_input"

    def __init__(self, rule: str, *, position: int | None = None, field: str = "input") -> None:
        where = field if position is None else f"{field}, item {position}"
        super().__init__(f"{where}: {rule}")
        self.field = field
        self.rule = rule
        self.position = position


class InvalidValue(Invalid):
    """A value is out of its range, or does not go with another one. It is not repeated."""

    code = "invalid_value"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidUpstream(Invalid):
    """The address of an upstream is none, or may not be called. It is never repeated.

    Attributes:
        code: ``invalid_upstream`` by its spelling, ``upstream_not_allowed`` by where it leads.
    """

    code = "invalid_upstream"

    def __init__(self, rule: str, *, code: str = "invalid_upstream") -> None:
        super().__init__(f"base_url: {rule}")
        self.field = "base_url"
        self.rule = rule
        self.code = code


class ReferenceRefused(Invalid):
    """Something is named that cannot be referred to.

    One that is unknown and one of another project are refused alike.

    Attributes:
        code: such as ``unknown_binding`` or ``inactive_binding``.
        field: where it was named.
    """

    code = "unknown_project"

    def __init__(self, noun: str, *, field: str | None = None, is_known: bool = False) -> None:
        self.field = field or f"{noun}_id"
        self.rule = "is not active" if is_known else "names nothing that is known here"
        super().__init__(f"{self.field}: {self.rule}")
        self.code = f"inactive_{noun}" if is_known else f"unknown_{noun}"


class InvalidEvent(Invalid):
    """An analytics event breaks its contract. Names the field, never the value."""

    code = "invalid_event"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidReport(Invalid):
    """What a client reports of a run breaks a rule. Names the member, never its value.

    Attributes:
        code: ``question_missing``, ``question_unknown``, ``question_repeated``,
            ``set_contradicted``, ``window_missing``, ``unknown_protocol``, ``project_missing``,
            ``invalid_golden_set``, else ``invalid_report``.
    """

    code = "invalid_report"

    def __init__(self, field: str, rule: str, *, code: str = "invalid_report") -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.code = code


class NotPublishable(Invalid):
    """A stored result lacks what a hub needs of it; nothing was sent."""

    code = "not_publishable"

    def __init__(self, evaluation_id: str, why: str) -> None:
        super().__init__(f"evaluation {evaluation_id}: {why}")
        self.evaluation_id = evaluation_id
        self.why = why


class Unauthenticated(EvenhandError):
    """Nobody is known by what was shown. It does not say why, nor what was shown.

    Attributes:
        code: ``missing_credential`` where nothing was shown, else ``bad_credential``.
    """

    code = "bad_credential"

    def __init__(self, *, is_missing: bool = False) -> None:
        super().__init__("no token was given" if is_missing else "no such token is in force")
        self.code = "missing_credential" if is_missing else "bad_credential"


class Forbidden(EvenhandError):
    """Who asks is known, and may not do this.

    Attributes:
        code: ``forbidden`` by role, ``capability_missing`` where a service client lacks one.
    """

    code = "forbidden"

    def __init__(self, role: str, action: str, *, capability: str | None = None) -> None:
        what = f"the role {role} may not: {action}"
        lacking = f"this service client lacks {capability}, needed for: {action}"
        super().__init__(what if capability is None else lacking)
        self.role = role
        self.action = action
        self.capability = capability
        self.code = "forbidden" if capability is None else "capability_missing"


class NotFound(EvenhandError):
    """Something was named that is not there."""

    code = "not_found"


class GoldenSetNotFound(NotFound):
    """No golden set has this identifier or path."""

    code = "golden_set_not_found"

    def __init__(self, identifier: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(f"no golden set {identifier!r}{_known(known)}")
        self.identifier = identifier
        self.known = known


class RetrieverNotFound(NotFound):
    """No retriever has this identifier."""

    code = "retriever_not_found"

    def __init__(self, identifier: str, known: tuple[str, ...] = (), *, why: str = "") -> None:
        reason = f": {why}" if why else ""
        super().__init__(f"no retriever {identifier!r}{reason}{_known(known)}")
        self.identifier = identifier
        self.known = known


class EvaluationNotFound(NotFound):
    """No stored evaluation, or more than one, answers to this reference."""

    code = "evaluation_not_found"

    def __init__(self, reference: str, why: str = "no stored evaluation matches") -> None:
        super().__init__(f"evaluation {reference!r}: {why}")
        self.reference = reference


class BaselineNotFound(NotFound):
    """No baseline is pinned, or more than one where one was asked for."""

    code = "baseline_not_found"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CredentialNotFound(NotFound):
    """No credential answers to a reference; somebody may have typed a token, so it is not shown."""

    code = "credential_not_found"

    def __init__(self) -> None:
        super().__init__("no credential has this id, and none in force has this name")


class RegisteredNotFound(NotFound):
    """Nothing in the registry has this id or name; somebody may have typed a secret.

    Attributes:
        code: such as ``project_not_found``.
    """

    code = "project_not_found"

    def __init__(self, noun: str) -> None:
        super().__init__(f"no {noun.replace('_', ' ')} has this id or name")
        # A hub says route_not_found of an address that it does not have.
        self.code = "model_route_not_found" if noun == "route" else f"{noun}_not_found"


class ModelNotFound(NotFound):
    """No route that the caller may use answers to the name of a model, or several do."""

    code = "model_not_found"

    def __init__(self, *, is_ambiguous: bool = False) -> None:
        several = "several projects have a route of this name: give PROJECT/ROUTE"
        none = "no active route of this name is there for this credential"
        super().__init__(several if is_ambiguous else none)
        self.is_ambiguous = is_ambiguous


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


class EvaluationExists(Conflict):
    """An evaluation with this id is stored already; nothing was changed."""

    code = "evaluation_exists"

    def __init__(self, evaluation_id: str) -> None:
        super().__init__(f"evaluation {evaluation_id} is stored already; nothing was changed")
        self.evaluation_id = evaluation_id


class IdempotencyConflict(Conflict):
    """A key was used before for something else; nothing was changed."""

    code = "idempotency_conflict"

    def __init__(self) -> None:
        super().__init__(
            "the idempotency key was used before with another input; nothing was changed"
        )


class IdempotencyRace(Conflict):
    """Another call with the same key was quicker, at this very moment; to call again answers."""

    code = "idempotency_race"

    def __init__(self) -> None:
        super().__init__("another call with the same idempotency key was quicker; call again")


class CredentialExists(Conflict):
    """A credential that is in force has this name; nothing was changed."""

    code = "credential_exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"a credential in force has the name {name!r}; nothing was changed")
        self.name = name


class CredentialEnded(Conflict):
    """A credential was rotated or revoked before; nothing was changed."""

    code = "credential_ended"

    def __init__(self, credential_id: str) -> None:
        super().__init__(f"credential {credential_id} has ended before; nothing was changed")
        self.credential_id = credential_id


class NameTaken(Conflict):
    """Another object of its kind has this name; nothing was changed."""

    code = "name_taken"

    def __init__(self, noun: str, name: str) -> None:
        what = noun.replace("_", " ")
        super().__init__(f"another {what} has the name {name!r}; nothing was changed")
        self.noun = noun
        self.name = name


class StableRouteExists(Conflict):
    """A binding has an active stable route already; nothing was changed."""

    code = "stable_route_exists"

    def __init__(self) -> None:
        super().__init__("the binding has an active stable route; nothing was changed")


class VersionConflict(Conflict):
    """Somebody changed an object since the caller saw it; nothing was changed."""

    code = "version_conflict"

    def __init__(self, object_id: str) -> None:
        super().__init__(f"{object_id} has another version than expected; nothing was changed")
        self.object_id = object_id


class SuiteInactive(Conflict):
    """Nothing can be frozen in a suite that is not active."""

    code = "suite_inactive"

    def __init__(self, suite_id: str) -> None:
        super().__init__(f"suite {suite_id} is not active; nothing was frozen")
        self.suite_id = suite_id


class ArchiveRefused(Conflict):
    """An archive that is whole cannot be loaded into this database; nothing was changed."""

    code = "database_not_empty"

    def __init__(self, why: str, *, code: str = "database_not_empty") -> None:
        super().__init__(f"{why}; nothing was changed")
        self.why = why
        self.code = code


class ConstraintRefused(Conflict):
    """The database refused a write: a constraint or a guard of a table, by its name."""

    code = "constraint_refused"

    def __init__(self, constraint: str) -> None:
        super().__init__(f"the database refused the write: {constraint}")
        self.constraint = constraint


class DowngradeBlocked(Conflict):
    """A schema downgrade would lose rows; nothing was changed."""

    code = "downgrade_blocked"

    def __init__(self, tables: tuple[str, ...]) -> None:
        super().__init__(f"the downgrade would lose rows of: {', '.join(tables)}")
        self.tables = tables


class Fenced(EvenhandError):
    """The holder's time, token or state does not allow the step."""

    code = "fenced"

    def __init__(self, rule: str, *, code: str = "fenced") -> None:
        super().__init__(rule)
        self.rule = rule
        self.code = code


class EvaluationFailed(EvenhandError):
    """An evaluation ended without a result; nothing was stored."""

    code = "evaluation_failed"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class ProvenanceFailed(EvaluationFailed):
    """A retriever has the provenance capability but did not give a declaration (G-02)."""

    code = "provenance_failed"


class NothingScored(EvaluationFailed):
    """No question of the set could be scored.

    Attributes:
        is_judged: whether a question is judged; then retrieval failed for every one that is.
    """

    code = "nothing_scored"

    def __init__(self, why: str, *, is_judged: bool) -> None:
        super().__init__(why)
        self.is_judged = is_judged


class TooManyFailed(EvaluationFailed):
    """Too many questions of a result failed for it to be a baseline; nothing was written.

    Attributes:
        failed, attempted: numbers of questions.
    """

    code = "too_many_failed"

    def __init__(self, failed: int, attempted: int) -> None:
        super().__init__(
            f"{failed} of {attempted} questions failed, a larger share than max_failed_share "
            "allows; no baseline was made of this result"
        )
        self.failed = failed
        self.attempted = attempted


class RetrievalFailed(EvenhandError):
    """A retriever outside this process gave no answer to one question.

    Attributes:
        code: what went wrong, such as ``timeout``, ``http_503``, ``malformed_answer`` or the code
            that the retriever itself stated; never a text of its own.
    """

    code = "retrieval_failed"

    def __init__(self, code: str = "retrieval_failed") -> None:
        super().__init__(f"one question got no answer: {code}")
        self.code = code


class CodeFailed(EvenhandError):
    """Code that the user named raised when it was loaded; its own words are not repeated."""

    code = "code_failed"

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why


class UpstreamFailed(EvenhandError):
    """A deployment gave no vectors. It names the deployment and, in our words, why.

    Attributes:
        code: of the failure.
        deployment: its name.
        meaning: why, in half a sentence.
        retry_after: whole seconds to wait before asking again; None where that is not known.
    """

    code = "upstream_failed"

    def __init__(
        self, deployment: str, meaning: str, *, code: str, retry_after: int | None = None
    ) -> None:
        super().__init__(f"deployment {deployment}: {meaning}")
        self.code = code
        self.deployment = deployment
        self.meaning = meaning
        self.retry_after = retry_after


class HubRefused(EvenhandError):
    """A hub said no to a result; the message says what to do about it.

    Attributes:
        hub_code: the code of the hub's problem.
        status: of its answer.
    """

    code = "hub_refused"

    def __init__(self, hub_code: str, status: int) -> None:
        help_ = _AT_THE_HUB.get(hub_code, _AT_THE_HUB.get(str(status), _SEND_AGAIN))
        super().__init__(f"the hub refused it with {hub_code} ({status}): {help_}")
        self.hub_code = hub_code
        self.status = status


class HubUnavailable(EvenhandError):
    """No hub answers at the configured address, or nothing that a hub would say."""

    code = "hub_unavailable"

    def __init__(self, why: str) -> None:
        super().__init__(f"the hub at hub_url was not reached: {why}; {_SEND_AGAIN}")
        self.why = why


_SEND_AGAIN = "evenhand evaluations publish ID sends the stored result again, and it is kept once"
#: Code or status of a hub's answer → what the sender can do.
_AT_THE_HUB = {
    "401": "set EVENHAND_TOKEN to a token that is in force there",
    "403": "it takes results of operators, and of service clients with rag.evaluation@1",
    "404": "name a project or a suite that the hub has, with --project",
    "project_missing": "name a project of the hub with --project",
    "idempotency_conflict": "this result was sent there before with other content, which stays",
    "body_too_large": "raise serve_body_limit of the hub, or send a smaller set",
    "422": "the hub's release may be another one, compare evenhand --version on both sides",
}


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


class DatabaseUnavailable(EvenhandError):
    """The database cannot be reached, is locked for too long, or cannot be read."""

    code = "database_unavailable"

    def __init__(self, why: str, *, code: str = "database_unavailable") -> None:
        super().__init__(why)
        self.why = why
        self.code = code


class DatabaseNotReady(EvenhandError):
    """The database cannot be used as it is; the message names the command that helps."""

    code = "database_behind"

    def __init__(self, why: str, *, code: str = "database_behind") -> None:
        super().__init__(why)
        self.why = why
        self.code = code


def _known(known: tuple[str, ...]) -> str:
    return f" (known: {', '.join(known)})" if known else ""
