"""The parts of a run: each module measures one thing, and its `figures` gives what it found.

Each runs in a process of its own, so that none has another's modules, memory or mocks.
"""
