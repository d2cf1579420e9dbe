"""Asking: how questions get to DynamoDB and answers come back.

`asker` says what asking is. It is done in two ways: by boto3 (`boto`), which can do everything and takes its time, and
by a client of our own (`own`), which can ask three kinds of questions and is as fast as that can be. The parts of the
latter: `places` and `credentials` read the environment, `signing` writes a request, `dialling` gets a line to a server
(`lines`, `securing`) that is believed (`trust`), and `connection` has one answer for one request.
"""
