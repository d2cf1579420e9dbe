"""The comparison of two services after a migration: both answer for every identifier of a dump, and targets are equal.

`service_answers` queries a service. `identifier_comparison` compares the answers.
"""
