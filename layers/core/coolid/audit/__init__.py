"""The audit of a transparency log and of the service whose log it is.

`tree_blocks` reads the log and verifies that it is the signed tree. `rules` judges its entries in order; its state is a
file (`audit_database`), from which a later audit continues. `service_answers` compares the log with what the service
answers. What breaks a rule is a finding (`findings`), with `evidence` that others can verify without network.
"""
