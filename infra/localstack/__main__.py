"""LocalStack in one process, without a container engine, for `make test-localstack`.

Usage: `python infra/localstack [--port 4566]`, in an environment of `requirements-localstack.lock` (CPython 3.13, which
the functions run on); it prints `Ready.` once it is up, and serves until it is stopped. Five parts of LocalStack are
replaced:

- Lambda's execution environments are child processes (`environments`), where LocalStack starts containers. So functions
  have layers, which only the paid editions of LocalStack support.
- DynamoDB is a moto server (`dynamodb_server`), where LocalStack starts Amazon's DynamoDB Local. Streams can be
  declared, but trigger no function.
- Updates of a few resources, which LocalStack omits (`updates`).
- KMS keys on Edwards25519, which LocalStack lacks (`edwards_keys`).
- API Gateway's parsing of paths, which would cut them off at a semicolon.

Only this machine can reach it.

CloudFormation with the SAM transform, API Gateway (REST), IAM, KMS, S3, Route 53 and the rest are LocalStack's own.
"""

import argparse
import functools
import os
import sys
import tempfile
import urllib.parse
from pathlib import Path

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--port", type=int, default=4566, help="port of the loopback interface (default: 4566)")
options = arguments.parse_args()

# LocalStack reads its settings when it is imported, so they come first.
os.environ.update(
    GATEWAY_LISTEN=f"127.0.0.1:{options.port}",
    FILESYSTEM_ROOT=tempfile.mkdtemp(prefix="localstack-"),
    OVERRIDE_IN_DOCKER="0",
    DISABLE_EVENTS="1",
    SKIP_SSL_CERT_DOWNLOAD="1",
    DNS_ADDRESS="0",
    LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT="120",  # seconds for a function to start; on a busy machine 20 are too few
    PROVIDER_OVERRIDE_DYNAMODB="v2",
    PROVIDER_OVERRIDE_DYNAMODBSTREAMS="v2",
)

import edwards_keys  # noqa: E402
import updates  # noqa: E402
from environments import ProcessExecutor  # noqa: E402
from localstack.runtime.main import main  # noqa: E402
from localstack.runtime.server import twisted  # noqa: E402
from localstack.services.apigateway.next_gen.execute_api.handlers import parse  # noqa: E402
from localstack.services.dynamodb.server import DynamodbServer  # noqa: E402
from localstack.services.lambda_ import provider  # noqa: E402
from localstack.services.lambda_.invocation import (  # noqa: E402
    execution_environment,
    runtime_executor,
    version_manager,
)
from localstack.utils.run import ShellCommandThread  # noqa: E402


def start_moto(server: DynamodbServer) -> ShellCommandThread:
    """Start DynamoDB for LocalStack's service, which forwards requests to its port.

    It ends with this process, which LocalStack ends without running Python's exit handlers.
    """
    script = Path(__file__).with_name("dynamodb_server.py")
    command = [sys.executable, str(script), str(os.getpid()), "-p", str(server.port)]
    thread = ShellCommandThread(command, auto_restart=False, name="dynamodb-moto")
    thread.start()
    return thread


for module in (execution_environment, runtime_executor, version_manager, provider):
    module.get_runtime_executor = lambda: ProcessExecutor
DynamodbServer.do_start_thread = start_moto
parse.urlparse = urllib.parse.urlsplit
# LocalStack ignores the address in GATEWAY_LISTEN and would listen on all.
twisted.endpoints.TCP4ServerEndpoint = functools.partial(twisted.endpoints.TCP4ServerEndpoint, interface="127.0.0.1")
updates.install()
edwards_keys.install()

if __name__ == "__main__":
    main()
