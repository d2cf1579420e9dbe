"""What LocalStack's CloudFormation leaves out when a stack is updated.

It creates and deletes these resources as CloudFormation does, but takes an update for done without doing it: an API
would keep its old definition. A stage or an alias it would even make a second time, since it takes any change of the
API or function that a property refers to for a change of the property, whereas CloudFormation replaces neither as long
as it belongs to the same one. An output that goes it reads in vain, if what it tells of was never there. Tables are
left as they are: what changes of them has no bearing on how they work here.
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
    """Teach LocalStack these updates."""
    ApiGatewayRestApiProvider.update = _api
    ApiGatewayStageProvider.update = _stage
    LambdaAliasProvider.update = _alias
    judged = ChangeSetModel._resolve_requires_replacement

    def requires_replacement(self: Any, node_properties: Any, resource_type: Any) -> bool:
        return resource_type.value not in _STAYING and judged(self, node_properties, resource_type)

    ChangeSetModel._resolve_requires_replacement = requires_replacement
    visit_outputs = ChangeSetModelPreproc.visit_node_outputs

    def visit_outputs_that_are_or_were(self: Any, node_outputs: Any) -> Any:
        there = copy(node_outputs)
        there.outputs = [each for each in node_outputs.outputs if _is_or_was(self, each)]
        return visit_outputs(self, there)

    ChangeSetModelPreproc.visit_node_outputs = visit_outputs_that_are_or_were


def _is_or_was(visitor: Any, output: Any) -> bool:
    """Whether an output's condition holds, before the update or after it."""
    if is_nothing(output.condition_reference):
        return True
    condition = visitor._resolve_resource_condition_reference(output.condition_reference)
    return condition.before is True or condition.after is True


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
