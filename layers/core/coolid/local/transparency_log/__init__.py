"""The transparency log of the standalone service: its key, and the thread of its sequencer."""
