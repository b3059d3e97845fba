"""Evenhand: did a retrieval change help, and may the two results be compared?

The public names load on first use, so that ``import evenhand`` stays as cheap as an
empty module.
"""

__version__ = "0.1.0"
