"""A deployed CloudFormation stack: the names of its resources and its parameters."""

from typing import Any


class DeployedStack:
    """The stack of this name. Raises botocore's errors."""

    def __init__(self, name: str) -> None:
        import boto3

        self._client: Any = boto3.client("cloudformation")
        self._name = name

    def resource(self, logical: str) -> str:
        """Return the name of the resource with this logical name."""
        answer = self._client.describe_stack_resource(StackName=self._name, LogicalResourceId=logical)
        return str(answer["StackResourceDetail"]["PhysicalResourceId"])

    def optional_resource(self, logical: str) -> str | None:
        """Return the name of a resource, or None if the stack has no such one."""
        from botocore.exceptions import ClientError

        try:
            return self.resource(logical)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ValidationError":
                raise
            return None

    def parameters(self) -> dict[str, str]:
        """Return the values of the stack's parameters by name."""
        (described,) = self._client.describe_stacks(StackName=self._name)["Stacks"]
        return {each["ParameterKey"]: each.get("ParameterValue", "") for each in described.get("Parameters", ())}
