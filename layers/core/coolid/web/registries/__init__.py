"""Other registries' ways to ask: Bioregistry, identifiers.org, N2T, and the list of prefixes for the `curies` package.

Each has a module that says what its answers look like, and `coolid.web.registries.endpoints` gives them. Nothing of it
is imported before somebody asks so.
"""
