"""How does a database get from one schema to the next? One chain of Alembic migrations.

``versions/`` holds them, ``lineage.json`` the SHA-256 of each file, ``schema.json`` what each
adds to and takes from the schema. `evenhand.store.migrate` runs them; nothing else does.
"""
