"""The ports of the store: one small protocol for each kind of stored object.

The package also contains what all implementations share: the conversion of rows (`rows`) and their limits (`limits`).

Every implementation has these duties, besides those of the single methods:

- A read may lag a completed write by the store's replication delay (about a second), unless it is *consistent*.
- An absent row is a result, not an error. A store that cannot answer raises `StoreUnavailable`, so that a failure
  never looks like "does not exist".
- A write is atomic, and has the condition that its method states. It never fails because of its own earlier attempt
  whose response was lost. If the outcome remains unknown, it raises `StoreUnavailable`.
- All methods may be called from several threads.

`coolid.aws.dynamodb` and `coolid.sqlite` implement the ports. `tests/contract` tests every implementation.
"""
