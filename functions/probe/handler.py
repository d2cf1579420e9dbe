"""The probe function: checks providers and targets. Its role can change only the health of records and prefixes."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring.event_functions import probe

    handler = probe.handler()
