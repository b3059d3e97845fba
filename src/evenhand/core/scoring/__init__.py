"""How good is a ranking? Protocols, measures and their bounds."""
