"""The source `datacite`: DOIs of DataCite as JSON of its REST API, or as XML of its schema."""
