"""The Handle dialect: the records of this service, read and written like the Handle records of a Handle.Net server.

`values` defines handle values, and `value_parser` reads those that clients send. `record_mapping` converts records to
values and back. `value_changes` computes the result of a write. `addresses` finds the namespace of a handle,
`response_codes` writes answers and errors, and `proxy_parameters` applies the parameters of a redirect. `*_endpoint`
and `handle_search` serve the requests.
"""
