"""JSON on the network, shared by hub and SDK; pydantic lives only here and in the hub's app."""
