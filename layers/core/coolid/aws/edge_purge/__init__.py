"""Removal of outdated answers from CloudFront after a row has changed.

`table_streams` reads the changes, `delay_queue` holds them until the functions' caches have expired, `invalidations`
calls CloudFront, and `purger` is the function that combines them.
"""
