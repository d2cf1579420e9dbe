"""The standalone service: the applications behind an HTTP server, over a SQLite database or DynamoDB."""
