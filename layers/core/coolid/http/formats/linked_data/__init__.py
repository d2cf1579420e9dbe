"""Linked data: a record's shared description in the vocabularies schema.org, DCAT and PROV, as JSON-LD and Turtle."""
