"""Outgoing network requests, shared by the client and the functions."""
