"""The store over DynamoDB."""
