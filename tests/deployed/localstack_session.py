"""The LocalStack at `COOLID_E2E_ENDPOINT`: sessions and clients of boto3, and the environment of commands.

They cannot reach an AWS account, because no AWS setting of the user is used.
"""

import os
from typing import Any
from unittest.mock import patch

from localstack_client.session import Session

REGION = "us-east-1"
CREDENTIALS = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}


def session() -> Session:
    """Return a session whose clients send all requests to LocalStack."""
    with patch.dict(os.environ, AWS_ENDPOINT_URL=os.environ["COOLID_E2E_ENDPOINT"]):
        return Session(**CREDENTIALS, region_name=REGION)


def client(service: str) -> Any:
    """Return a boto3 client of a service of LocalStack."""
    return session().client(service)


def environment() -> dict[str, str]:
    """Return the environment of a command that uses LocalStack and finds no AWS setting of the user."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return others | {
        "AWS_ENDPOINT_URL": os.environ["COOLID_E2E_ENDPOINT"],
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        **{name.upper(): value for name, value in CREDENTIALS.items()},
        "AWS_DEFAULT_REGION": REGION,
    }
