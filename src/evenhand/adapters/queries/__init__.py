"""Trusted queries over events that are in no database of ours: in memory, and in Parquet."""
