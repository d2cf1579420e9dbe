"""Endpoints that need no authentication."""
