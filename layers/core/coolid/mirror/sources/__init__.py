"""What a mirror is made of: a running service, a store (also that of an export), or a transparency log alone."""
