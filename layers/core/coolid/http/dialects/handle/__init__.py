"""The Handle dialect: records of ours as Handle records, read and written as a Handle.Net server has it.

`values` are what a Handle record is made of, `multiple` is how one of them tells of several locations, `incoming` reads
what clients put, `mapping` turns records into values and back, `changing` says what becomes of them when some are put
or taken away, `contents` what the record is to say then. `addressing` finds the namespace behind a handle,
`credentials` who writes, `codes` says everything in the words of the protocol. `reading`, `writing` and `searching` are
the addresses, `leading` the parameters of a redirect.
"""
