"""What Alembic executes: the chain, on the connection and inside the transaction it is given.

There is no way to start from a configuration file: `evenhand.store.migrate` holds the lock, looks
at the lineage and guards populated history before it comes here. The tables of today are not
known here, so that a migration can only do what it did when it was written.
"""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # One transaction for the whole run, on SQLite too: it ends on a known revision or where it
    # began.
    transactional_ddl=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
