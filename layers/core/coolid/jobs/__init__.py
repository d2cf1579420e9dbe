"""Bulk jobs: the rows of a file, validated and carried out in slices by any number of workers."""
