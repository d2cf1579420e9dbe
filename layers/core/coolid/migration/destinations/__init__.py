"""Destinations: writers of the store's identifiers in the forms that other services and web servers read.

`exported_identifiers` reads them from the store. Each other module writes one form: `Destination`.
"""
