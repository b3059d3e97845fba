"""Who asks, what may they do, and what is told of what they did."""
