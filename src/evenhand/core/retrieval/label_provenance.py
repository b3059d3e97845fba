"""Against which corpus were the labels of a golden question made?"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.identity.labels import require_label, require_revision


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProvenance:
    """Against which corpus a question's labels were made.

    Attributes:
        corpus_revision: label of that corpus.
        model_revision, chunking_identity, pipeline_identity, execution_revision: what the person
            who labelled saw, None where it was not recorded.

    Raises:
        InvalidLabel: a label breaks the rule that the same label of a declaration has.
    """

    corpus_revision: str
    model_revision: str | None = None
    chunking_identity: str | None = None
    pipeline_identity: str | None = None
    execution_revision: str | None = None

    def __post_init__(self) -> None:
        """Check each label; see the class."""
        require_revision(self.corpus_revision, "label_provenance.corpus_revision")
        if self.pipeline_identity is not None:
            require_revision(self.pipeline_identity, "label_provenance.pipeline_identity")
        for name in ("model_revision", "chunking_identity", "execution_revision"):
            value = getattr(self, name)
            if value is not None:
                require_label(value, f"label_provenance.{name}")
