"""APIs of other services: Bioregistry, identifiers.org, N2T, Handle, and the prefix map for the `curies` package.

Each module builds the answers of one service, and `registry_endpoints` serves them. They are imported on first use.
"""
