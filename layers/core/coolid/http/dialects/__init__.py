"""Other registries' ways to ask: Bioregistry, identifiers.org, N2T, and the list of prefixes for the `curies` package.

Each has a module that says what its answers look like, and `coolid.http.dialects.registry_endpoints` gives them. Nothing of it
is imported before somebody asks so.
"""
