"""The function that keeps the redirects at the edge in step with the prefix table.

`changed_names` finds the prefixes in the table's stream, and `update_queue` passes their names on. `update_function` is
the function, over `key_value_store` and `ledger_file`.
"""
