"""The API of CloudFront KeyValueStore for boto3's clients: a handler of botocore's event `before-send`."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict

from tests.support.stores.key_value_store import FakeKeyValueStore

ARN = "arn:aws:cloudfront::123456789012:key-value-store/8562g61f-caba-2845-9d99-b97diwae5d3c"
EVENT = "before-send.cloudfront-keyvaluestore.*"


class KeyValueStoreApi:
    """Answers boto3's requests out of a fake store, as the API reference describes."""

    def __init__(self) -> None:
        self.store = FakeKeyValueStore()
        self.requests: list[AWSPreparedRequest] = []
        self.refusal: tuple[int, str, str] | Exception | None = None

    def __call__(self, request: AWSPreparedRequest, **_: Any) -> Any:
        self.requests.append(request)
        if isinstance(self.refusal, Exception):
            raise self.refusal
        status, headers, body = self._refused() if self.refusal else self._answer(request)
        given: Any = HeadersDict({"content-type": "application/json", **headers})
        response: Any = AWSResponse(request.url, status, given, None)
        response._content = json.dumps(body).encode()
        return response

    def _refused(self) -> tuple[int, Mapping[str, str], Any]:
        assert isinstance(self.refusal, tuple)
        status, code, message = self.refusal
        return status, {"x-amzn-errortype": code}, {"Message": message}

    def _answer(self, request: AWSPreparedRequest) -> tuple[int, Mapping[str, str], Any]:
        path, _, query = unquote(request.url.partition("api.aws")[2]).partition("?")
        path = path.removeprefix(f"/key-value-stores/{ARN}")
        sizes = {"ItemCount": len(self.store.contents), "TotalSizeInBytes": 1}
        if request.method == "POST":
            content = json.loads(text_of(request.body))
            puts = {each["Key"]: each["Value"] for each in content.get("Puts", ())}
            deletes = [each["Key"] for each in content.get("Deletes", ())]
            version = self.store.update(text_of(request.headers["If-Match"]), puts, deletes)
            return 200, {"ETag": version}, sizes
        if not path:
            return 200, {"ETag": self.store.version()}, {**sizes, "KvsARN": ARN, "Created": 1795000000}
        if path == "/keys":
            asked = dict(each.split("=") for each in query.split("&"))
            start, most = int(asked.get("NextToken", 0)), int(asked["MaxResults"])
            items = [{"Key": key, "Value": value} for key, value in sorted(self.store.contents.items())]
            more = {"NextToken": str(start + most)} if len(items) > start + most else {}
            return 200, {}, {"Items": items[start : start + most], **more}
        key = path.removeprefix("/keys/")
        value = self.store.contents.get(key)
        if value is None:
            return 404, {"x-amzn-errortype": "ResourceNotFoundException"}, {"Message": "no such key"}
        return 200, {}, {**sizes, "Key": key, "Value": value}


def text_of(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
