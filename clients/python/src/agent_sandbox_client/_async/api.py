# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Requests to the API server: what fails is sent again if it may be, and watches go on until they have an answer."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpx

from .. import cluster, kubeapi, retries
from ..claims import Waiting
from ..cluster import ClusterAccess
from ..exceptions import SandboxClusterError, SandboxError, SandboxNotFoundError, SandboxTimeoutError
from ..kubeapi import Call, Resource
from ..text import LineBuffer, printable
from . import _io

T = TypeVar("T")

_REQUEST = httpx.Timeout(60, connect=10)  # seconds; API servers answer within a minute
_WATCH = 30.0  # seconds; a watch that has gone silent is found after this time
_LINE = 16 * 1024 * 1024  # bytes; more than an object can have


class AsyncApiServer:
    """The API server. It connects when it is first used."""

    def __init__(
        self, access: ClusterAccess | None = None, *, kubeconfig: str | None = None, context: str | None = None
    ) -> None:
        self._access, self._source = access, (kubeconfig, context)
        self._http: httpx.AsyncClient | None = None
        self._lock = _io.Lock()
        self._reached = False
        self._process = os.getpid()

    async def access(self) -> ClusterAccess:
        """Returns how the API server is reached. After a fork, the child makes connections of its own."""
        if os.getpid() != self._process:
            self._process, self._http, self._lock = os.getpid(), None, _io.Lock()
        async with self._lock:
            if self._access is None:
                self._access = await _io.in_thread(cluster.load, *self._source)
            return self._access

    def known_access(self) -> ClusterAccess | None:
        """Returns how the API server is reached. None if that was never needed."""
        return self._access

    async def close(self) -> None:
        """Ends the connections."""
        async with self._lock:
            http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def get(self, resource: Resource, namespace: str, name: str) -> dict[str, Any] | None:
        """Returns an object, or None."""
        try:
            return dict(await self.call(kubeapi.get(resource, namespace, name)))
        except SandboxNotFoundError:
            return None

    async def objects(self, resource: Resource, namespace: str, selector: str | None) -> list[dict[str, Any]]:
        """Returns all objects of a kind, or those with some labels."""
        found: list[dict[str, Any]] = []
        after: str | None = None
        while True:
            part = await self.call(kubeapi.list_of(resource, namespace, selector, after))
            found += part.get("items") or []
            after = part.get("metadata", {}).get("continue")
            if not after:
                return found

    async def wait_for(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        timeout: float,
        judge: Callable[[str, dict[str, Any]], T | Waiting],
    ) -> T:
        """Follows an object until judge returns something else than Waiting."""
        deadline = time.monotonic() + timeout
        waiting = Waiting("nothing is known about it")
        first = True
        while (left := deadline - time.monotonic()) > 0:
            if not first:
                await _io.sleep(min(0.2, left))
                try:
                    found = await self.get(resource, namespace, name)
                except SandboxClusterError as error:  # the API server may be back in time
                    waiting = Waiting(str(error))
                    continue
                if found is None:
                    judge("DELETED", {"metadata": {"name": name}})
            first = False
            seen = await self._watch(
                kubeapi.watch(resource, namespace, name, min(left, _WATCH)), deadline, judge, waiting
            )
            if not isinstance(seen, Waiting):
                return seen
            waiting = seen
        raise SandboxTimeoutError(f"{resource.plural} {namespace}/{name} after {timeout:g} s: {waiting.message}")

    async def _watch(
        self, call: Call, deadline: float, judge: Callable[[str, dict[str, Any]], T | Waiting], waiting: Waiting
    ) -> T | Waiting:
        """Follows one watch to its end, or until judge is content."""
        left = deadline - time.monotonic()
        timeout = httpx.Timeout(max(left, 0.1), connect=min(10, max(left, 0.1)), read=min(max(left, 0.1), _WATCH + 5))
        found: T | Waiting = waiting
        lines = LineBuffer(_LINE)
        http = await self._client()
        try:
            async with http.stream(
                call.method, call.path, params=dict(call.params), headers=await self._headers(), timeout=timeout
            ) as response:
                self._reached = True
                if response.status_code != 200:
                    return self._refused(call, response.status_code, await response.aread(), waiting)
                async for data in response.aiter_bytes():
                    for line in lines.feed(data):
                        event = kubeapi.event(line)
                        if event is None:
                            return found
                        found = judge(*event)
                        if not isinstance(found, Waiting) or time.monotonic() > deadline:
                            return found
        except httpx.ConnectError as error:
            if not self._reached:
                raise _unreachable(http, error) from error
        except httpx.TransportError:
            pass  # the next watch begins with the state
        return found

    def _refused(self, call: Call, status: int, body: bytes, waiting: Waiting) -> Waiting:
        if status == 429 or status >= 500:
            return waiting
        raise kubeapi.failure(call, status, body)

    async def call(self, call: Call) -> Any:
        """Sends a request, again if it may be, and returns what the answer has."""
        attempt = 0
        while True:
            attempt += 1
            http = await self._client()
            try:
                response = await http.request(
                    call.method,
                    call.path,
                    params=dict(call.params),
                    content=None if call.body is None else json.dumps(call.body).encode(),
                    headers={"Content-Type": call.content_type, **await self._headers()},
                    extensions=_io.AT_ONCE,
                )
                self._reached = True
                if response.is_success:
                    return response.json()
                error: SandboxError = kubeapi.failure(call, response.status_code, response.content)
                after = retries.retry_after(response.headers.get("Retry-After"))
                failure = retries.Failure(response.status_code, after)
            except httpx.TransportError as problem:
                error = _unreachable(http, problem)
                unsent = isinstance(problem, (httpx.ConnectError, httpx.ConnectTimeout))
                if isinstance(error, SandboxClusterError):
                    error.unsent = unsent
                if unsent and not self._reached:
                    raise error from problem
                failure = retries.Failure(unsent=unsent)
            pause = retries.pause(failure, attempt, call.repeatable)
            if pause is None:
                raise error
            await _io.sleep(pause)

    async def _headers(self) -> dict[str, str]:
        access = await self.access()
        authorization = await _io.in_thread(access.authorization)
        return {"Authorization": authorization} if authorization else {}

    async def _client(self) -> httpx.AsyncClient:
        access = await self.access()
        async with self._lock:
            if self._http is None:
                self._http = _new_client(access)
            return self._http


def _new_client(access: ClusterAccess) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(
        verify=access.tls if access.tls is not None else False,
        proxy=httpx.Proxy(access.proxy) if access.proxy else None,
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
    )
    headers = {"Accept": "application/json", "User-Agent": "agent-sandbox-client"}
    return httpx.AsyncClient(
        base_url=access.host, transport=transport, timeout=_REQUEST, headers=headers, trust_env=False
    )


def _unreachable(http: httpx.AsyncClient, error: Exception) -> SandboxClusterError:
    cause = printable(error) or type(error).__name__
    return SandboxClusterError(f"the API server {http.base_url} does not answer: {cause}")
