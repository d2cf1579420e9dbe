"""The source `ezid`: a batch download of EZID as ANVL, CSV or XML."""
