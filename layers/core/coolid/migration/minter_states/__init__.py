"""The states of other services' minters, and the rules that continue them.

`state_files` reads the states of a file, `noid_members` interprets those of Noid, Nog and EZID, and `creation` creates
the repository and the prefix of a state.
"""
