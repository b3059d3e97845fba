"""What can be done? One function is one action and one transaction."""
