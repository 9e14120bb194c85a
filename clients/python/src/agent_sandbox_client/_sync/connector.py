# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/connector.py by tools/generate.py. Do not edit.
"""Sends requests to a sandbox."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from .. import requests, retries
from .._duplex import DuplexError, Exchange
from ..endpoints import Endpoint, Target, router_headers
from ..exceptions import SandboxClosedError, SandboxError
from ..models import RouterAccess, SandboxConnectionConfig
from ..proxies import proxy_for
from ..requests import Request
from ..tracing import Tracer
from . import _io
from .k8s_helper import K8sHelper
from .strategies import ConnectionStrategy, PodIP, strategy_for


class SandboxConnector:
    """Sends requests to the ports of one sandbox."""

    def __init__(
        self,
        sandbox_id: str,
        namespace: str,
        connection_config: SandboxConnectionConfig,
        k8s_helper: K8sHelper,
        get_pod_ip: PodIP,
        uid: str | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        self.id, self.namespace, self.config = sandbox_id, namespace, connection_config
        self._tracer = tracer or Tracer()
        self._uid, self._k8s_helper, self._get_pod_ip = uid, k8s_helper, get_pod_ip
        self.strategy = self._new_strategy()
        self._clients: dict[str, httpx.Client] = {}
        self._lock = _io.Lock()
        self._process = os.getpid()
        self._closed = False

    def _new_strategy(self) -> ConnectionStrategy:
        return strategy_for(self.config, self._k8s_helper, self._get_pod_ip, os.environ)

    def send_request(
        self,
        method: str,
        endpoint: str,
        *,
        json: Any = None,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
        params: dict[str, str] | None = None,
        timeout: float | None = 60,
        port: int | None = None,
    ) -> httpx.Response:
        """Sends a request to the sandbox and returns the answer, whose content has been read.

        Args:
            method: GET, POST and so on. Only GET and HEAD are sent again after they may have reached the sandbox.
            endpoint: The path of the URL.
            json: The body, to be written as JSON.
            content: The body, as it is.
            headers: More headers.
            params: The query of the URL.
            timeout: How long the answer may be silent, in seconds. None means for ever.
            port: The port in the sandbox. By default that of the connection.

        Raises:
            SandboxRequestError: There was no answer, or it is no success.
        """
        sent = dict(headers or {})
        if json is not None:
            content, kind = requests.json_body(json)
            sent = {**kind, **sent}
        repeatable = method.upper() in ("GET", "HEAD")
        request = Request(method, endpoint.lstrip("/"), sent, params or {}, content, timeout, repeatable)
        return self.send(request, port)

    def send(self, request: Request, port: int | None = None) -> httpx.Response:
        """Sends a request, again if it may be, and returns the answer."""
        attempt = 0
        while True:
            attempt += 1
            try:
                response, routed = self._attempt(request, port)
                if response.is_success:
                    return response
                error = requests.refusal(request, response, routed)
                after = retries.retry_after(response.headers.get("Retry-After"))
                pause = retries.pause(retries.Failure(response.status_code, after), attempt, request.repeatable)
            except httpx.TransportError as problem:
                self.strategy.reset()
                error = requests.broken(request, problem)
                failure = retries.Failure(unsent=requests.unsent(problem))
                pause = retries.pause(failure, attempt, request.repeatable)
                if requests.attempts_end(problem):
                    pause = None
                error.__cause__ = problem
            if pause is None:
                raise error
            _io.sleep(pause)

    def _attempt(self, request: Request, port: int | None) -> tuple[httpx.Response, bool]:
        with self._open(request, port) as (response, routed):
            taken = requests.Receiver(request if response.is_success else Request(request.method, request.endpoint))
            for part in response.iter_bytes():
                taken.add(part)
            return requests.whole(response, taken.content()), routed

    @contextmanager
    def _open(self, request: Request, port: int | None) -> Iterator[tuple[httpx.Response, bool]]:
        endpoint, headers = self._address(request, port)
        body = request.body() if callable(request.body) else request.body
        client = self._client(endpoint.url)
        with client.stream(
            request.method,
            f"{endpoint.url}/{request.endpoint}",
            params=dict(request.params) or None,
            headers=headers,
            content=body,
            timeout=request.timeouts(),
            extensions=_io.AT_ONCE,
        ) as response:
            yield response, endpoint.routed

    @contextmanager
    def stream(self, request: Request) -> Iterator[Iterator[bytes]]:
        """Sends a request once and yields the parts of its answer as they come."""
        try:
            with self._open(request, None) as (response, routed):
                if not response.is_success:
                    response.read()
                    raise requests.refusal(request, response, routed)
                yield response.iter_bytes()
        except httpx.TransportError as problem:
            self.strategy.reset()
            raise requests.broken(request, problem) from problem

    @contextmanager
    def exchange(self, request: Request, body: Iterator[bytes]) -> Iterator[Iterator[bytes]]:
        """Sends a request once. Its body and its answer may flow at the same time."""
        endpoint, headers = self._address(request, None)
        if proxy_for(endpoint.url, os.environ) is not None:
            raise SandboxError("standard input cannot go through a proxy: name the router in NO_PROXY")
        tls = self._tls() if endpoint.url.startswith("https://") else None
        duplex = _io.Duplex(Exchange(f"{endpoint.url}/{request.endpoint}", headers, tls, request.timeout))
        try:
            duplex.open(body)
            parts = duplex.parts()
            if duplex.status != 200:
                content = b"".join([part for part in parts])
                response = httpx.Response(duplex.status, content=content)
                raise requests.refusal(request, response, endpoint.routed)
            yield parts
        except DuplexError as problem:
            self.strategy.reset()
            raise requests.broken(request, problem) from problem
        finally:
            duplex.close()

    def endpoint(self, port: int) -> tuple[str, dict[str, str]]:
        """Returns the URL of a port of the sandbox, and the headers that requests to it need."""
        self._check()
        endpoint = self.strategy.connect(self._target(port))
        headers: dict[str, str] = {}
        if endpoint.routed:
            headers = router_headers(self._target(port), self.strategy.token())
        return endpoint.url, headers

    def close(self) -> None:
        """Ends the connections."""
        self._closed = True
        clients, self._clients = self._clients, {}
        if os.getpid() == self._process:
            self.strategy.close()
            for client in clients.values():
                client.close()

    def _address(self, request: Request, port: int | None) -> tuple[Endpoint, dict[str, str]]:
        self._check()
        target = self._target(port)
        endpoint = self.strategy.connect(target)
        headers = {"X-Request-ID": requests.request_id(), **self._tracer.headers(), **request.headers}
        if endpoint.routed:
            headers.update(router_headers(target, self.strategy.token()))
            if request.timeout is not None:
                headers["X-Sandbox-Timeout"] = f"{request.timeout:g}"
        return endpoint, headers

    def _target(self, port: int | None) -> Target:
        return Target(self.id, self.namespace, self._uid, port or self.config.server_port)

    def _check(self) -> None:
        """Raises if the handle is closed. After a fork, the child makes connections of its own."""
        if self._closed:
            raise SandboxClosedError(f"the handle of sandbox {self.namespace}/{self.id} is closed")
        if os.getpid() != self._process:
            self._process, self._clients, self._lock = os.getpid(), {}, _io.Lock()
            self.strategy = self._new_strategy()

    def _client(self, url: str) -> httpx.Client:
        with self._lock:
            if url not in self._clients:
                self._clients[url] = self._new_client(url)
            return self._clients[url]

    def _new_client(self, url: str) -> httpx.Client:
        proxy = proxy_for(url, os.environ)
        transport = httpx.HTTPTransport(
            verify=self._tls() if url.startswith("https://") else False,
            proxy=httpx.Proxy(proxy) if proxy else None,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=10),
        )
        return httpx.Client(transport=transport, headers={"User-Agent": "agent-sandbox-client"}, trust_env=False)

    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.config.ca_file if isinstance(self.config, RouterAccess) else None)
