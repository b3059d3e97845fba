"""Register, and change what may change: one module per noun; each change is told to the audit."""
