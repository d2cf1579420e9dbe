"""Minting rules: how a repository's identifiers are formed and validated, one class per scheme.

`base` has the common interface and the three kinds of rules (random, sequential, supplied); `catalog` creates rules
from a scheme's name and their JSON; each other module is a scheme.
"""
