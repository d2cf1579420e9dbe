"""Sources: a reader for the dumps of each service, which yields `coolid.migration.source_identifiers`."""
