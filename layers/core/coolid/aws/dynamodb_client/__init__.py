"""Two clients for DynamoDB's read operations behind one protocol.

`transport` declares the protocol. `boto_transport` implements it with boto3, which supports every configuration but is
slow to load. `http_transport` supports three operations and common configurations, and is as fast as possible. It uses
`endpoints` and `credentials` (configuration), `signing` (requests), `connector` (connections), and
`coolid.net.http_connection` (one request and response at a time).
"""
