"""What the gateway tells to collectors of traces and metrics, where one is configured."""
