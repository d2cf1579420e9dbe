"""The wiring of the functions that streams, queues and schedules start, one module for each."""
