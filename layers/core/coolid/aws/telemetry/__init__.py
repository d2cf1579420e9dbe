"""Telemetry: what a function tells its operators: lines (`coolid.aws.telemetry.logs`) and counts (`metrics`).

`masking` says what of a request may be told at all, `watched` what of this is wanted. Nothing here is heavy to import,
for the resolve function does without a logging stack; the others have Powertools (`coolid.aws.wiring.powertools`).
"""
