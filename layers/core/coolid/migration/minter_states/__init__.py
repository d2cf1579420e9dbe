"""The states of other services' minters, and the rules that continue them.

`state_files` reads the states of a file, and `noid_members` interprets those of Noid, Nog and EZID. `minter_state` has
the rules that continue one, and `state_selection` selects one by prefix.
"""
