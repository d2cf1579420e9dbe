"""A discrete-event simulation of the service at AWS: edge, API Gateway, Lambda and DynamoDB.

`python -m scripts.simulation` prints the tables of `docs/explanation/evidence/simulation.md`.
"""
