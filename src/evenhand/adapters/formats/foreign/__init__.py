"""Golden sets in the files of other tools: one module a format, `catalogue` lists them."""
