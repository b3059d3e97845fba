"""Which vector does a text have? Models that run in this process, without a network."""
