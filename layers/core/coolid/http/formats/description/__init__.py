"""The description of a record that all formats share; see `coolid.http.formats.description.metadata_reader`."""
