"""Verification of transparency logs: proofs of inclusion, and checkpoints that agree with those seen before."""
