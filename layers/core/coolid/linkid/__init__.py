"""LinkIDs of revision 01: results of resolution, their evidence, trusted resolvers, and peers.

Specification: draft-linkgenetic-linkid-uri-01, whose statements `docs/linkid.md` compares with coolid.
"""
