"""Import and export: a whole system as one file, and files of rows to mint, directly from and to a store.

`exporter` writes a system to a file, and `restore` reads it. `row_reader` and `bulk_minter` add new records. Both
imports write through `coolid.store.bulk.BulkWriter`: conditional writes, many in one call.
"""
