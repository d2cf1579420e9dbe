"""The updates of a stack that LocalStack's CloudFormation omits.

LocalStack creates and deletes these resources like CloudFormation, but reports an update as done without doing it: an
API would keep its old definition. It would create a stage or an alias a second time, because it treats any change of
the API or function that a property refers to as a change of the property. CloudFormation replaces neither while they
belong to the same one. LocalStack also fails to read a removed output whose resource never existed. Tables are not
updated, because their changes have no effect here.
"""

import json
from copy import copy
from typing import Any

from localstack.services.apigateway.resource_providers.aws_apigateway_restapi import ApiGatewayRestApiProvider
from localstack.services.apigateway.resource_providers.aws_apigateway_stage import ApiGatewayStageProvider
from localstack.services.cloudformation.engine.v2.change_set_model import ChangeSetModel, is_nothing
from localstack.services.cloudformation.engine.v2.change_set_model_preproc import ChangeSetModelPreproc
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent
from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider

_STAYING = ("AWS::ApiGateway::Stage", "AWS::Lambda::Alias")


def install() -> None:
    """Add these updates to LocalStack."""
    ApiGatewayRestApiProvider.update = _api
    ApiGatewayStageProvider.update = _stage
    LambdaAliasProvider.update = _alias
    resolve = ChangeSetModel._resolve_requires_replacement

    def requires_replacement(self: Any, node_properties: Any, resource_type: Any) -> bool:
        return resource_type.value not in _STAYING and resolve(self, node_properties, resource_type)

    ChangeSetModel._resolve_requires_replacement = requires_replacement
    visit_outputs = ChangeSetModelPreproc.visit_node_outputs

    def visit_existing_outputs(self: Any, node_outputs: Any) -> Any:
        existing = copy(node_outputs)
        existing.outputs = [each for each in node_outputs.outputs if _existed(self, each)]
        return visit_outputs(self, existing)

    ChangeSetModelPreproc.visit_node_outputs = visit_existing_outputs


def _existed(visitor: Any, output: Any) -> bool:
    """Return whether an output's condition holds before or after the update."""
    if is_nothing(output.condition_reference):
        return True
    condition = visitor._resolve_resource_condition_reference(output.condition_reference)
    return condition.before is True or condition.after is True


def _api(_: Any, request: Any) -> ProgressEvent:
    """Replace the whole definition."""
    api = request.previous_state["RestApiId"]
    body = json.dumps(request.desired_state["Body"]).encode()
    request.aws_client_factory.apigateway.put_rest_api(restApiId=api, mode="overwrite", body=body)
    return _updated(request, RestApiId=api, RootResourceId=request.previous_state.get("RootResourceId"))


def _stage(_: Any, request: Any) -> ProgressEvent:
    """Point the stage to another deployment."""
    wanted = request.desired_state
    request.aws_client_factory.apigateway.update_stage(
        restApiId=wanted["RestApiId"],
        stageName=wanted["StageName"],
        patchOperations=[{"op": "replace", "path": "/deploymentId", "value": wanted["DeploymentId"]}],
    )
    return _updated(request)


def _alias(_: Any, request: Any) -> ProgressEvent:
    """Point the alias to another version."""
    wanted = request.desired_state
    request.aws_client_factory.lambda_.update_alias(
        FunctionName=wanted["FunctionName"], Name=wanted["Name"], FunctionVersion=wanted["FunctionVersion"]
    )
    return _updated(request)


def _updated(request: Any, **attributes: Any) -> ProgressEvent:
    state = {**request.previous_state, **request.desired_state, **attributes}
    return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=state, custom_context=request.custom_context)
