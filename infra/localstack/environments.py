"""Lambda's execution environments as child processes, where LocalStack would start containers.

Each runs AWS's runtime interface client over the function's unpacked package and layers, as in the cloud. The package
is the working directory. The path contains `python/` of every layer, and the runtime's boto3 after that. Variables that
name a file below /opt name the unpacked one.
"""

import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import LambdaRuntimeException, RuntimeExecutor
from runtime_api import RuntimeApi


class ProcessExecutor(RuntimeExecutor):  # type: ignore[misc] # LocalStack is in an environment of its own
    """One execution environment: a process that handles one invocation after another."""

    def __init__(self, id: str, function_version: Any) -> None:  # noqa: A002 - LocalStack calls it so
        super().__init__(id, function_version)
        self.api: RuntimeApi | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.variables: dict[str, str] = {}
        self.root = Path(tempfile.mkdtemp(prefix="lambda-"))
        self.log = self.root / "log"

    def start(self, env_vars: dict[str, Any]) -> None:
        """Unpack the function, start its process, and wait until it requests an invocation."""
        config_ = self.function_version.config
        config_.code.prepare_for_execution()
        task, layers = str(config_.code.get_unzipped_code_location()), self._layers()
        self.variables = {
            **{name: re.sub("^/opt/", f"{layers}/", str(value)) for name, value in env_vars.items()},
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "LANG": "en_US.UTF-8",
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{config_.runtime}",
            "LAMBDA_TASK_ROOT": task,
            "PYTHONPATH": os.pathsep.join([task, str(layers / "python")]),
        }
        self._start_process()

    def invoke(self, payload: dict[str, Any]) -> InvocationResult:
        """Invoke the function, with its timeout as the limit. A process that has ended is started again, as in AWS."""
        seconds = int(self.function_version.config.timeout)
        logged_bytes = self.log.stat().st_size
        is_running = self.process is not None and self.process.poll() is None
        api = self.api if is_running and self.api is not None else self._start_process()
        try:
            failed, body = api.invoke({**payload, "deadline": int((time.time() + seconds) * 1000)}, seconds)
        except queue.Empty:
            self._stop_process()
            message = {"errorType": "Sandbox.Timedout", "errorMessage": f"Task timed out after {seconds}.00 seconds"}
            failed, body = True, json.dumps(message).encode()
        logs = self.log.read_bytes()[logged_bytes:].decode("utf-8", "replace")
        if failed:
            sys.stderr.write(logs)
            sys.stderr.flush()
        return InvocationResult(payload["invoke-id"], body, is_error=failed, logs=logs)

    def stop(self) -> None:
        """End the process. Its log stays readable until LocalStack ends."""
        self._stop_process()
        shutil.rmtree(self.root / "opt", ignore_errors=True)

    def get_logs(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def get_address(self) -> str:
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        return "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    @classmethod
    def prepare_version(cls, function_version: Any) -> None:
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: Any) -> None:
        """Do nothing: LocalStack removes the unpacked code with its own folder."""

    def _start_process(self) -> RuntimeApi:
        """Start the runtime over the unpacked function. Return its own Runtime API once it is ready."""
        self._stop_process()
        self.api = api = RuntimeApi()
        address = {"AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.server_port}"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "awslambdaric", self.variables["_HANDLER"]],
                cwd=self.variables["LAMBDA_TASK_ROOT"],
                env=self.variables | address,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        threading.Thread(target=_report_exit, args=(self.process, api), daemon=True).start()
        while not api.ready.wait(0.02):
            if self.process.poll() is not None:
                raise LambdaRuntimeException(self.get_logs())
        if api.failure:
            raise StatusErrorException("the function could not be initialised", payload=api.failure)
        return api

    def _stop_process(self) -> None:
        """End the process and its Runtime API, if there are any."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.api is not None:
            self.api.close()
        self.process = self.api = None

    def _layers(self) -> Path:
        """Return the folder that replaces /opt, with each layer unpacked over the one before."""
        folder = self.root / "opt"
        folder.mkdir()
        archive = self.root / "layer.zip"
        for layer in self.function_version.config.layers or []:
            with archive.open("wb") as stream:
                layer.code._download_archive_to_file(stream)
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
            archive.unlink()
        return folder


def _report_exit(process: "subprocess.Popen[bytes]", api: RuntimeApi) -> None:
    """Fail the current invocation once the process has ended, as Lambda does. Without one, nothing reads the error."""
    status = process.wait()
    error = {"errorType": "Runtime.ExitError", "errorMessage": f"Runtime exited with error: exit status {status}"}
    api.done(failed=True, body=json.dumps(error).encode())
