"""What the package requires of a store: protocols, with the duties of their implementations."""
