"""What does a result look like? Evaluations as terminal text, one HTML page, or JSON.

Nothing is loaded here: rich comes with `terminal`, Jinja2 with `html`, msgspec with `as_json`.
"""
