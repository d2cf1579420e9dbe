"""Minting, counters, idempotency, quotas, amendment and withdrawal."""
