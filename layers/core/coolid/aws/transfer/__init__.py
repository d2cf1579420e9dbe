"""Import and export: a whole system as one file, and files of rows to mint, directly from and to the tables.

`coolid.aws.transfer.exporter` and `restore` are each other's inverse. `row_reader` and `bulk_minter` add new records.
Both imports write through `bulk_writer`: conditional puts, many in one call.
"""
