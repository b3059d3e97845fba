"""What `bootstrap.App` puts together from settings alone: one module for each noun, of functions."""
