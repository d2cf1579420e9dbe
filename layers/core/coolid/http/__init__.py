"""HTTP endpoints and what they share, independent of AWS."""
