"""The development server: the deployed handlers behind a local HTTP server, with an embedded DynamoDB and KMS."""
