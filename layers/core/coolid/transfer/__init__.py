"""Import and export: a whole system as one file, and files of rows to mint, directly from and to a store.

`coolid.transfer.exporter` and `restore` are each other's inverse. `row_reader` and `bulk_minter` add new records. Both
imports write through `coolid.store.bulk.BulkWriter`: conditional writes, many in one call.
"""
