"""The embedding gateway: what may be asked, what an answer is, and what is kept of a request."""
