"""How does Evenhand call a retrieval step? Built-ins, and everything that somebody else wrote."""
