"""Values: records, locations, prefixes, providers, repositories, clients."""
