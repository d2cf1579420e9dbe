"""The cite function: public reads, with a processor of citations. Its role can only read the prefix and LUI tables."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring import resolve

    handler = resolve.handler("cite")
