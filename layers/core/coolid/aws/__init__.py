"""API Gateway, DynamoDB, settings, and the wiring of the Lambda functions."""
