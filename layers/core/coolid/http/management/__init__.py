"""Endpoints that need an API key."""
