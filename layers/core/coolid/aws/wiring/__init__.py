"""The wiring of the Lambda functions. Only these modules, the local server and the CLI connect components.

Each function has a module that imports only what it needs. `shared` contains the objects that several functions of one
process share, because the development server runs all functions in one process.
"""
