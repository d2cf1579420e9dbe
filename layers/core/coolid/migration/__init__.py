"""Migration: identifiers of other services, with their targets, histories and minters, brought in and compared.

`source_identifiers` defines what a source gives. Each module of `sources` reads the dumps of one service.
"""
