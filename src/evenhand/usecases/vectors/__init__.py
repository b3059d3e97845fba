"""Do the worked vectors come out? Start at ``check``."""
