"""Prepare, claim, report, publish and end selected model comparisons."""
