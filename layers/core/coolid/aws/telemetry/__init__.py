"""Log lines (`coolid.aws.telemetry.logs`) and metrics (`metrics`) of a function.

`redaction` removes secrets from paths. Nothing here is slow to import, because the resolve function has no logging
stack; the others use Powertools (`coolid.wiring.powertools`).
"""
