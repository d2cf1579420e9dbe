"""The resolver, provider failover, suffix pass-through, content negotiation, reverse lookup and reader cache."""
