"""Who judges? The rules and a model behind a chat endpoint, both by files that are shipped here."""
