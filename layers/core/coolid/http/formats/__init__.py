"""Representations: what the values of the domain look like on the wire, one module each."""
