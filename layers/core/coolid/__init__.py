"""coolid: a serverless resolver and minter of persistent identifiers.

Rooms of the house, from the inside out:

* `coolid.domain` what the system is about: identifiers, prefixes, records, resolving, minting; no AWS, no HTTP.
* `coolid.web` requests and responses, problems, representations; knows HTTP, not AWS.
* `coolid.aws` API Gateway events, DynamoDB, settings and the wiring of the Lambda functions.
* `coolid.local` the same functions behind a development server, over an embedded backend.
* `coolid.cli` the console commands.
"""

__version__ = "0.1.0"
