"""The index function: writes the index of searches. Its role can read prefixes and records, and write nothing else."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring.event_functions import index

    handler = index.handler()
