"""The formats of records, prefixes and reports in answers, one module each."""
