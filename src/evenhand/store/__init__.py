"""How are values kept and found again in SQLite and PostgreSQL?"""
