"""What the reader types: one module per group of commands."""
