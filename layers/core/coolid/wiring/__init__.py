"""The wiring, which connects the components according to the settings.

Each Lambda function has a module, which imports only what that function needs. Those of HTTP functions build the
application (`build_application`) and wrap it as a handler of API Gateway's events (`handler`). The standalone
service uses the applications without events: `dispatcher` chooses one for each request. `read_access` has the cache
that the applications of one process share.
"""
