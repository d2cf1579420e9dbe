"""Migration: identifiers of other services, with their targets, histories and minters, brought in and compared.

`source_identifiers` defines what a source returns. `sources` reads the dumps of each service, `dumps` their formats.
"""
