"""The pages, a module a noun: request → use case or repository read → present → template."""
