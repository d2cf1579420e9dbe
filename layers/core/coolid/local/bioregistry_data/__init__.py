"""The parts of a prefix that are derived from the Bioregistry's data: names, providers, and faults of the data."""
