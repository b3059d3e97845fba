"""How does all that a database holds get into one file, and out of it into another database?

``layout`` says what a row is as a line, ``rows`` reads tables as lines and digests them,
``manifest`` says what an archive holds, ``write`` makes one, ``read`` verifies one, and
``restore`` loads it. Nothing here knows which of the two databases it speaks to, but where a
comment says so: an archive of one is an archive for the other (ADR-0015).
"""
