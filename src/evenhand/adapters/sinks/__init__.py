"""Where emitted events go on to. To be sent a batch twice changes nothing."""
