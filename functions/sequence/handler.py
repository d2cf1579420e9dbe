"""The sequence function: grows the transparency log. Its role can write the log, and sign what is in it."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring.event_functions import sequence

    handler = sequence.handler()
