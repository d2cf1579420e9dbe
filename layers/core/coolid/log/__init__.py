"""The transparency log: an append-only Merkle tree of all public versions, and of changes of names and keys.

It is served as static files (C2SP tlog-tiles). An entry is the compact JWS of a version or of another statement.
"""
