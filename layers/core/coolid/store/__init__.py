"""The protocols that a store implements, and the selection of record versions."""
