"""Citations and bibliographic formats."""
