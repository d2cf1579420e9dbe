"""A witness of transparency logs (C2SP tlog-witness), which cosigns checkpoints that continue those cosigned before.

Any number of logs can have it as a witness, of whatever software. It refuses rollbacks and forks, and keeps evidence of
them.
"""
