"""Signed statements, key sets, history chains and their verification."""
