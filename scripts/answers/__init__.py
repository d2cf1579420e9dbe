"""Complete answers of the service, recorded and compared: two releases, or a release and a change, side by side.

::

    python -m scripts.answers record before.jsonl.gz
    python -m scripts.answers record after.jsonl.gz
    python -m scripts.answers compare before.jsonl.gz after.jsonl.gz

`record` sends more than 10,000 requests to the functions' handlers, in a fixed order, over a fixed clock, fixed random
numbers and an empty store. Two recordings of the same code are equal byte for byte. The package depends on what stays
when the code inside `coolid` moves: `functions/NAME/handler.py`, `template.yaml`, environment variables, stored
attributes and HTTP.
"""
