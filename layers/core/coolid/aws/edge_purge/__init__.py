"""Removal of outdated answers from CloudFront after a row has changed.

`table_streams` reads the changes, `invalidations` calls CloudFront, and `purger` is the function that combines them by
a queue, which holds the changes until the functions' caches have expired.
"""
