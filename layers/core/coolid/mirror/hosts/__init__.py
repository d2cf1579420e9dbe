"""Writers of the configuration with which web servers and static hosts answer the identifiers of a mirror.

Each module writes the files of one kind of host. Paths, names and targets are escaped for its syntax.
"""
