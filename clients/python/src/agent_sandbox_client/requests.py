# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Requests to a sandbox, and what their answers mean. Nothing here touches the network."""

from __future__ import annotations

import json
import ssl
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import httpx

from .exceptions import SandboxRequestError, SandboxResponseTooLargeError
from .text import printable

#: How much of an answer is kept in memory, in bytes, unless a method says otherwise.
LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True)
class Request:
    """A request to a port of a sandbox.

    Attributes:
        body: The body, or what yields it anew for each attempt.
        timeout: How long the answer may be silent, in seconds. None means for ever.
        repeatable: Whether it may be sent twice.
        limit: How large the answer may be, in bytes.
        into: A file that takes the answer instead of the memory.
    """

    method: str
    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Callable[[], Any] | None = None
    timeout: float | None = 60
    repeatable: bool = False
    limit: int = LIMIT
    into: BinaryIO | None = None

    def timeouts(self) -> httpx.Timeout:
        """Returns the time limits of one attempt."""
        return httpx.Timeout(self.timeout, connect=10, write=60, pool=None)


def json_body(value: Any) -> tuple[bytes, dict[str, str]]:
    """Returns a body and its headers."""
    return json.dumps(value).encode(), {"Content-Type": "application/json"}


def request_id() -> str:
    """Returns a name for a request, which is in the logs of the router and of the sandbox."""
    return uuid.uuid4().hex


class Receiver:
    """Takes the parts of an answer, and refuses one that is too large."""

    def __init__(self, request: Request) -> None:
        self._request, self._size = request, 0
        self._kept = bytearray()
        if request.into is not None:
            request.into.seek(0)
            request.into.truncate()

    def add(self, part: bytes) -> None:
        """Takes the next part."""
        self._size += len(part)
        if self._request.into is not None:
            self._request.into.write(part)
            return
        if self._size > self._request.limit:
            raise SandboxResponseTooLargeError(
                f"{self._request.method} /{self._request.endpoint}: more than {self._request.limit} bytes"
            )
        self._kept += part

    def content(self) -> bytes:
        """Returns what is in memory."""
        return bytes(self._kept)


_HIDDEN = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def whole(response: httpx.Response, content: bytes) -> httpx.Response:
    """Returns a response whose content has been read."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in _HIDDEN]
    return httpx.Response(response.status_code, headers=headers, content=content, request=response.request)


def refusal(request: Request, response: httpx.Response, routed: bool) -> SandboxRequestError:
    """Returns the error for an answer that is no success."""
    message = f"{request.method} /{request.endpoint}: {response.status_code} {detail(response.content)}"
    if response.status_code == 401 and routed:
        message += "; set token or token_file of the connection, or SANDBOX_ROUTER_TOKEN or SANDBOX_ROUTER_TOKEN_FILE"
    if response.status_code == 403 and routed:
        message += (
            "; if the router says so, its token needs the permission to create sandboxclaims/proxy or sandboxes/proxy"
        )
    return SandboxRequestError(message, response.status_code, response)


def detail(body: bytes) -> str:
    """Returns the detail of an answer, or the answer itself."""
    try:
        return printable(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return printable(body[:1000].decode(errors="replace"))


def broken(request: Request, error: Exception) -> SandboxRequestError:
    """Returns the error for a request without an answer."""
    cause = printable(error) or type(error).__name__
    message = f"{request.method} /{request.endpoint}: {cause}"
    if isinstance(error, httpx.TimeoutException) and not unsent(error):
        message = f"{request.method} /{request.endpoint}: no answer within {request.timeout:g} s"
    if not request.repeatable and not unsent(error):
        message += "; it may have been carried out"
    return SandboxRequestError(message)


def unsent(error: Exception) -> bool:
    """Returns whether a request has not left this machine."""
    return isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol))


def attempts_end(error: Exception) -> bool:
    """Returns whether another attempt would only wait as long again, or fail as this one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (httpx.ReadTimeout, httpx.UnsupportedProtocol, ssl.SSLCertVerificationError)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
