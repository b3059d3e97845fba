"""What answers for the gateway: servers of embeddings over HTTP, and embedders in this process."""
