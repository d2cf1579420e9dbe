"""Purging: what makes the edge forget answers that a change has made wrong.

`coolid.aws.edge_purge.table_streams` reads what changed, `postponing` lets it wait until functions have forgotten it, too,
`invalidations` tells CloudFront; `purger` is the function that does it all.
"""
