"""The web console: pages rendered on the server, for one person's project and for a hub."""
