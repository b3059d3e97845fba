"""What the console pages through: evaluations of a benchmark, questions by id."""

from __future__ import annotations

from alembic import op

revision = "20260914_0060"
down_revision = "20260912_0051"
branch_labels = None
depends_on = None

#: Nothing is lost with an index.
MUST_BE_EMPTY = ()


def upgrade() -> None:
    """Create the indexes."""
    op.create_index(
        "ix_evaluation_benchmark", "evaluation", ["benchmark_fingerprint", "created_at", "id"]
    )
    op.create_index("ix_golden_question_id", "golden_question", ["set_identifier", "id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_golden_question_id", "golden_question")
    op.drop_index("ix_evaluation_benchmark", "evaluation")
