"""Snapshots, the files in which releases up to 0.5 stored a service, and their import into a database."""
