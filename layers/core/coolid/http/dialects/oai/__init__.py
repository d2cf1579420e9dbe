"""OAI-PMH, by which catalogues and aggregators harvest the metadata of all records.

Source: "The Open Archives Initiative Protocol for Metadata Harvesting", version 2.0, and its "Implementation
Guidelines" ("Specification and XML Schema for the OAI Identifier Format").
"""
