"""Drawings of the console: plain numbers in, positions out; templates draw them as inline SVG."""
