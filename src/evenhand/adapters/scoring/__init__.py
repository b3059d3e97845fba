"""Runs and judgements as files: opened, digested, unpacked, and handed to ``core.scoring``."""
