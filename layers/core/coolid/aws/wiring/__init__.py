"""Wiring: the only place, with the handlers, the server and the CLI, where parts are put together.

A module a function, each importing no more than its function needs. What several functions of one process share
(the development server runs all of them) is in `shared`.
"""
