"""EZID's API, version 2, over the records of this service: `/shoulder`, `/id`, `/login`, `/logout`, `/status`.

`anvl` reads and writes bodies. `elements` converts records to EZID's metadata elements and back.
"""
