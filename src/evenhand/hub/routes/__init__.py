"""One module per noun; each ends in the table of its routes."""
