"""What does the main job look like on real text? The built-in example."""
