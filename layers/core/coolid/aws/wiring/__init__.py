"""The wiring of the Lambda functions. Only these modules, the local server and the CLI connect components.

Each function has a module that imports only what it needs. `read_access` has the cache that the functions of one
process share: the development server runs them all in one process.
"""
