"""The AWS adapters (API Gateway, DynamoDB, SQS, KMS) and the settings."""
