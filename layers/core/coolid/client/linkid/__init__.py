"""Resolution of LinkIDs by trusted resolvers: requests, keys, verification and local policy.

Specification: draft-linkgenetic-linkid-uri-01, sections 3, 5, 6, 9, 11 and 12.
"""
