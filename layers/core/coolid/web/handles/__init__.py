"""The Handle dialect: records of ours as Handle records, read and written as a Handle.Net server has it.

`values` are what a Handle record is made of, `mapping` turns records into them and back, `addressing` finds the
namespace behind a handle, `codes` says everything in the words of the protocol; `reading`, `writing` and `searching`
are the addresses, `leading` the parameters of a redirect.
"""
