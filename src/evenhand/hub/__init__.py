"""The HTTP API: routes over use cases, and what stands before them."""
