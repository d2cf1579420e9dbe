"""The exchange between the services of two operators by which the custody of a record changes.

The recipient's service (`acceptances`) reads a record's versions from the sender's, verifies and copies them, signs the
acceptance and sends it. The sender's service (`transfers`) verifies the acceptance and answers with the transfer, on
top of which the recipient's service writes its own first version. Every step can be repeated.
"""
