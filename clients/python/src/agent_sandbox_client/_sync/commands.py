# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/commands.py by tools/generate.py. Do not edit.
"""Commands in a sandbox."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import httpx

from .. import requests, streaming
from .._duplex import DuplexError
from ..exceptions import SandboxCommandTimeoutError, SandboxRequestError
from ..models import ExecutionResult, OutputChunk
from ..requests import Request
from ..text import LineBuffer
from ..tracing import Tracer
from . import _io
from .connector import SandboxConnector

_GRACE = 15.0  # seconds that the sandbox has to end a command that is over its time
_TIMED_OUT = 124  # the exit code of a command that the sandbox ended for that
_LINE = 64 * 1024 * 1024  # bytes


class CommandStream:
    """The output of a command as it comes.

    Iterate over it for the parts of the output. At the end, `exit_code` is set.
    """

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self.exit_code: int | None = None

    def __iter__(self) -> Iterator[OutputChunk]:
        lines = LineBuffer(_LINE)
        try:
            for part in self._parts:
                for line in lines.feed(part):
                    output = streaming.output(line)
                    if isinstance(output, int):
                        self.exit_code = output  # the last line; read to its end, the connection can be used again
                    else:
                        yield output
        except (httpx.TransportError, DuplexError):
            if self.exit_code is None:
                raise
        if self.exit_code is None:
            raise SandboxRequestError("the output broke off before the end of the command, which may still have ended")


class CommandExecutor:
    """Runs commands in a sandbox."""

    def __init__(self, connector: SandboxConnector, tracer: Tracer) -> None:
        self.connector, self._tracer = connector, tracer

    def run(
        self,
        command: str | Sequence[str],
        timeout: float | None = 60,
        *,
        on_stdout: Callable[[str], object] | None = None,
        on_stderr: Callable[[str], object] | None = None,
        stdin: _io.Input | None = None,
    ) -> ExecutionResult:
        """Runs a command and returns its outputs and its exit code, which may be other than 0.

        The command is sent once. When the call is interrupted, the sandbox stops the command.

        Args:
            command: A command, which is split by the quoting rules of a shell, or a list of arguments. No shell runs
            it:
                use ["sh", "-c", "..."] for one.
            timeout: How long the command may run, in seconds. None means for ever.
            on_stdout: Is called with each part of the standard output as it comes.
            on_stderr: Likewise for the standard error.
            stdin: The standard input: bytes, text, or what yields bytes. By default it is empty.

        Raises:
            SandboxCommandTimeoutError: The command took too long. It was stopped, and the error has its outputs.
            SandboxRequestError: There was no answer. The command may have run.
        """
        text = command if isinstance(command, str) else shlex.join(command)
        with self._tracer.span("run", {"sandbox.command": text}) as span:
            started = time.monotonic()
            if on_stdout is None and on_stderr is None and stdin is None and timeout is not None:
                result = self._execute(text, timeout)
            else:
                result = self._follow(text, timeout, {"stdout": on_stdout, "stderr": on_stderr}, stdin)
            span.set("sandbox.exit_code", result.exit_code)
            if timeout is not None and result.exit_code == _TIMED_OUT and time.monotonic() - started >= timeout:
                raise SandboxCommandTimeoutError(
                    f"the command ran for longer than {timeout:g} s and was stopped", result
                )
            return result

    @contextmanager
    def stream(
        self, command: str | Sequence[str], timeout: float | None = None, *, stdin: _io.Input | None = None
    ) -> Iterator[CommandStream]:
        """Runs a command and yields its output as it comes, as bytes. Leaving the context stops the command.

        Args:
            command: As of `run`.
            timeout: How long the command may run, in seconds. By default for ever.
            stdin: As of `run`.
        """
        text = command if isinstance(command, str) else shlex.join(command)
        silence = None if timeout is None else timeout + _GRACE
        headers = {"Content-Type": "application/x-ndjson"}
        first = streaming.request_line(text, timeout)
        if stdin is None:
            request = Request("POST", "execute/stream", headers, body=first, timeout=silence)
            with self.connector.stream(request) as parts:
                yield CommandStream(parts)
        else:
            request = Request("POST", "execute/stream", headers, timeout=silence)
            with self.connector.exchange(request, _lines(first, stdin)) as parts:
                yield CommandStream(parts)

    def _execute(self, command: str, timeout: float | None) -> ExecutionResult:
        body, headers = requests.json_body(streaming.execution(command, timeout))
        silence = None if timeout is None else timeout + _GRACE
        response = self.connector.send(Request("POST", "execute", headers, body=body, timeout=silence))
        try:
            answer = response.json()
            return ExecutionResult(str(answer["stdout"]), str(answer["stderr"]), int(answer["exit_code"]))
        except (ValueError, KeyError, TypeError) as error:
            message = f"POST /execute: the answer is not as the contract says: {requests.detail(response.content)}"
            raise SandboxRequestError(message, response.status_code, response) from error

    def _follow(
        self,
        command: str,
        timeout: float | None,
        callbacks: dict[str, Callable[[str], object] | None],
        stdin: _io.Input | None,
    ) -> ExecutionResult:
        collector = streaming.Collector(callbacks)
        try:
            with self.stream(command, timeout, stdin=stdin) as output:
                for chunk in output:
                    collector.add(chunk)
        except SandboxRequestError as error:
            if error.status_code != 404:
                raise
            return self._without_streams(command, timeout, collector, stdin)
        return collector.result(output.exit_code if output.exit_code is not None else -1)

    def _without_streams(
        self, command: str, timeout: float | None, collector: streaming.Collector, stdin: _io.Input | None
    ) -> ExecutionResult:
        """Runs a command in a sandbox that knows only what all of them know: outputs come at the end."""
        if stdin is not None:
            raise SandboxRequestError("this sandbox takes no standard input: it has no endpoint execute/stream", 404)
        result = self._execute(command, timeout)
        collector.add(OutputChunk("stdout", result.stdout.encode()))
        collector.add(OutputChunk("stderr", result.stderr.encode()))
        return collector.result(result.exit_code)


def _lines(first: bytes, stdin: _io.Input) -> Iterator[bytes]:
    yield first
    for part in _io.chunks(stdin):
        for at in range(0, len(part), streaming.INPUT):
            yield streaming.input_line(part[at : at + streaming.INPUT])
