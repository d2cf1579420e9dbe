"""Bulk jobs of a service: an operation on each row of a file, carried out in the background.

`job_operations` has the requests as flows, `job_resources` and `async_job_resources` what the two clients offer.
"""
