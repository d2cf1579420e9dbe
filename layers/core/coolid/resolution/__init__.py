"""From a reference to a decision: resolver, provider failover, suffix pass-through, negotiation, cache."""
