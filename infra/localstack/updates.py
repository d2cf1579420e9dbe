"""What LocalStack's CloudFormation leaves out when a stack is updated.

It creates and deletes these resources as CloudFormation does, but takes an update for done without doing it: an API
would keep its old definition. A stage or an alias it would even make a second time, since it takes any change of the
API or function that a property refers to for a change of the property, whereas CloudFormation replaces neither as long
as it belongs to the same one. Tables are left as they are: what changes of them has no bearing on how they work here.
"""

import json
from typing import Any

from localstack.services.apigateway.resource_providers.aws_apigateway_restapi import ApiGatewayRestApiProvider
from localstack.services.apigateway.resource_providers.aws_apigateway_stage import ApiGatewayStageProvider
from localstack.services.cloudformation.engine.v2.change_set_model import ChangeSetModel
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent
from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider

_STAYING = ("AWS::ApiGateway::Stage", "AWS::Lambda::Alias")


def install() -> None:
    """Teach LocalStack these updates."""
    ApiGatewayRestApiProvider.update = _api
    ApiGatewayStageProvider.update = _stage
    LambdaAliasProvider.update = _alias
    judged = ChangeSetModel._resolve_requires_replacement

    def requires_replacement(self: Any, node_properties: Any, resource_type: Any) -> bool:
        return resource_type.value not in _STAYING and judged(self, node_properties, resource_type)

    ChangeSetModel._resolve_requires_replacement = requires_replacement


def _api(_: Any, request: Any) -> ProgressEvent:
    """The definition, whole, in place of the one before."""
    api = request.previous_state["RestApiId"]
    body = json.dumps(request.desired_state["Body"]).encode()
    request.aws_client_factory.apigateway.put_rest_api(restApiId=api, mode="overwrite", body=body)
    return _updated(request, RestApiId=api, RootResourceId=request.previous_state.get("RootResourceId"))


def _stage(_: Any, request: Any) -> ProgressEvent:
    """What the stage shows: another deployment."""
    wanted = request.desired_state
    request.aws_client_factory.apigateway.update_stage(
        restApiId=wanted["RestApiId"],
        stageName=wanted["StageName"],
        patchOperations=[{"op": "replace", "path": "/deploymentId", "value": wanted["DeploymentId"]}],
    )
    return _updated(request)


def _alias(_: Any, request: Any) -> ProgressEvent:
    """The version that the alias stands for."""
    wanted = request.desired_state
    request.aws_client_factory.lambda_.update_alias(
        FunctionName=wanted["FunctionName"], Name=wanted["Name"], FunctionVersion=wanted["FunctionVersion"]
    )
    return _updated(request)


def _updated(request: Any, **attributes: Any) -> ProgressEvent:
    state = {**request.previous_state, **request.desired_state, **attributes}
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=state, custom_context=request.custom_context)
