"""What was run, and on what? Labels, provenance, digests and fingerprints."""
