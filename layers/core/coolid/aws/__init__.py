"""The AWS adapters (API Gateway, DynamoDB, SQS, KMS), the settings, and the wiring of the Lambda functions."""
