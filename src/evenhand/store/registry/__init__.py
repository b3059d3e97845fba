"""The registry's repositories: one module per noun, over one way to keep any of them."""
