"""The values of the domain: records, locations, prefixes, providers, repositories, clients, check states."""
