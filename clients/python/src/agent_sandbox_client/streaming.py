# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The lines of POST /execute/stream."""

from __future__ import annotations

import base64
import binascii
import codecs
import json
from collections.abc import Callable
from typing import Any

from .exceptions import SandboxRequestError
from .models import ExecutionResult, OutputChunk

#: How much of an output `run` keeps while it passes all of it on, in bytes.
KEPT = 8 * 1024 * 1024

#: How much input a line has, in bytes.
INPUT = 32 * 1024


def request_line(command: str, timeout: float | None) -> bytes:
    """Returns the first line of a request."""
    return json.dumps(execution(command, timeout)).encode() + b"\n"


def execution(command: str, timeout: float | None) -> dict[str, Any]:
    """Returns the body that runs a command."""
    return {"command": command} if timeout is None else {"command": command, "timeout_seconds": timeout}


def input_line(data: bytes) -> bytes:
    """Returns a line with input for the command."""
    return b'{"data":"' + base64.b64encode(data) + b'"}\n'


def output(line: str) -> OutputChunk | int:
    """Returns the output of a line or, for the last one, the exit code."""
    try:
        parsed = json.loads(line)
        if "exit_code" in parsed:
            return int(parsed["exit_code"])
        if parsed["stream"] in ("stdout", "stderr"):
            return OutputChunk(parsed["stream"], base64.b64decode(parsed["data"], validate=True))
    except (ValueError, KeyError, TypeError, binascii.Error):
        pass
    raise SandboxRequestError("the sandbox sends output that is none: a line is not as the contract says")


class Collector:
    """Collects outputs for a result, up to a limit each, and passes their text on."""

    def __init__(self, callbacks: dict[str, Callable[[str], object] | None], limit: int = KEPT) -> None:
        self._callbacks, self._limit = callbacks, limit
        self._kept: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in self._kept}
        self._truncated = False

    def add(self, chunk: OutputChunk) -> None:
        """Takes one more part of an output."""
        kept = self._kept[chunk.stream]
        room = self._limit - len(kept)
        kept += chunk.data[:room]
        self._truncated = self._truncated or len(chunk.data) > room
        self._pass_on(chunk.stream, self._decoders[chunk.stream].decode(chunk.data))

    def result(self, exit_code: int) -> ExecutionResult:
        """Returns the result of the command, which has ended."""
        for name, decoder in self._decoders.items():
            self._pass_on(name, decoder.decode(b"", True))
        text = {name: kept.decode(errors="replace") for name, kept in self._kept.items()}
        return ExecutionResult(text["stdout"], text["stderr"], exit_code, self._truncated)

    def _pass_on(self, stream: str, text: str) -> None:
        callback = self._callbacks.get(stream)
        if callback is not None and text:
            callback(text)
