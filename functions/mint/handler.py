"""Minting: gives identifiers to things, each by one conditional write."""

from coolid.aws.cold_start import starting

with starting():
    from coolid.aws.wiring import mint

    handler = mint.handler()
