"""The development server: HTTP to API Gateway events, the very same handlers, an embedded DynamoDB and KMS."""
