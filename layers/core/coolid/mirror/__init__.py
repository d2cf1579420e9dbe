"""The mirror: a static site that answers a service's identifiers, and proves its answers, without the service.

`builder` writes it, and `verification` and `comparison` check it. `sources` reads what it contains, and `hosts` writes
the configuration of the servers that can serve it.
"""
