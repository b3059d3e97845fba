"""The gateway's verbs: find whom a route means, pass a request on to it, keep what happened."""
