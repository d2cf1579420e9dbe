"""Moving in and out: everything that a system keeps as one file, and files of rows to mint, straight into its tables.

`coolid.aws.transfer.exporter` and `restoring` are each other's inverse; `rows` and `minting` bring in new records.
What they write goes through `putting`: conditional puts, many in one call.
"""
