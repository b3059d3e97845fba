"""Record reviews from their configuration to what came back, and count them by stratum."""
