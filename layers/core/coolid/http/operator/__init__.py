"""What the operator of a service says: its identity, its colours, and its policies."""
