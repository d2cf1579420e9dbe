"""The HTTPS binding of LinkIDs: requests for resolution results, and the responses.

Specification: draft-linkgenetic-linkid-uri-01, section 5.3, and `docs/reference/linkid-results.md`.
"""
