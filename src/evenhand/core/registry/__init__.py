"""Whose model serves what? Projects, bindings, clients, artifacts, runtimes, deployments, routes."""
