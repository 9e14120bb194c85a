# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A local port that leads to a port of a Pod, through the API server.

Every connection of the port has a connection of its own to the API server, over WebSocket. A new one goes to the Pod
that is there now, so the port outlives the Pod, the API server and the network. Who connects and cannot be connected
gets an HTTP response that says why.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import select
import socket
import ssl
import threading
import time
import urllib.parse
from dataclasses import dataclass
from typing import Any, Protocol

import websocket

from .cluster import ClusterAccess
from .exceptions import SandboxError, SandboxPortForwardError
from .text import printable

_PART = 16 * 1024  # bytes; a socket that can be written to takes as much
_PING = 10.0  # seconds
_SILENCE = 30.0  # seconds after which a server that answers no ping is gone
_RETRY_AFTER = 1  # seconds
_DATA, _ERROR = 0, 1  # channels; each begins with the port in two bytes


@dataclass(frozen=True)
class PodPort:
    """A port of a Pod."""

    namespace: str
    pod: str
    port: int


class Finder(Protocol):
    """Knows which Pod to connect to."""

    def find(self) -> PodPort:
        """Returns the Pod. It is called for every connection, from several threads."""

    def close(self) -> None:
        """Is called at the end."""


class Tunnel:
    """Listens on a local port. close ends it and all its connections.

    Args:
        access: How the API server is reached.
        finder: Finds the Pod for every connection.
        timeout: How long a connection may take to be there, in seconds.
    """

    def __init__(self, access: ClusterAccess, finder: Finder, timeout: float) -> None:
        self._access, self._finder, self._timeout = access, finder, timeout
        self._closed = False
        self._connections: set[_Connection] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True, name=f"sandbox-tunnel-{self.port}").start()

    @property
    def url(self) -> str:
        """The URL of the local port."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Ends the tunnel."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes up accept
        self._listener.close()
        for connection in connections:
            connection.stop()
        self._finder.close()

    def _accept(self) -> None:
        while True:
            try:
                local, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(local,), daemon=True, name="sandbox-connection").start()

    def _serve(self, local: socket.socket) -> None:
        with local:
            local.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                remote = dial(self._access, self._finder.find(), self._timeout)
            except Exception as error:  # whoever waits for the connection gets to know
                lasting = isinstance(error, SandboxError)
                _refuse(local, 409 if lasting else 503, str(error), retry=not lasting)
                return
            connection = _Connection(local, remote)
            with self._lock:
                if self._closed:
                    remote.shutdown()
                    return
                self._connections.add(connection)
            try:
                connection.carry()
            finally:
                with self._lock:
                    self._connections.discard(connection)


def dial(access: ClusterAccess, to: PodPort, timeout: float) -> Any:
    """Opens a WebSocket to a port of a Pod."""
    address = access.host.replace("http", "ws", 1)
    url = f"{address}/api/v1/namespaces/{to.namespace}/pods/{to.pod}/portforward?ports={to.port}"
    authorization = access.authorization()
    try:
        return websocket.create_connection(
            url,
            timeout=timeout,
            header=[f"Authorization: {authorization}"] if authorization else [],
            subprotocols=["v4.channel.k8s.io"],
            socket=_connect(access, timeout),
            enable_multithread=False,
            suppress_origin=True,
        )
    except websocket.WebSocketBadStatusException as error:
        message = f"Pod {to.namespace}/{to.pod} cannot be reached: {printable(error)}"
        if error.status_code == 403:
            message += f"; the program needs the permission to create pods/portforward in namespace {to.namespace}"
        if error.status_code in (401, 403, 404):
            raise SandboxPortForwardError(message) from error
        raise ConnectionError(message) from error
    except (websocket.WebSocketException, OSError) as error:
        raise ConnectionError(f"the API server {access.host} cannot be reached: {printable(error)}") from error


def _connect(access: ClusterAccess, timeout: float) -> socket.socket:
    """Connects to the API server. A proxy is the one of the access: websocket-client has rules of its own for that."""
    server = urllib.parse.urlsplit(access.host)
    host, port = server.hostname or "", server.port or (443 if access.tls else 80)
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    if access.proxy:
        proxy = urllib.parse.urlsplit(access.proxy)
        if proxy.scheme != "http":
            raise SandboxPortForwardError(f"a tunnel cannot go through a proxy of the kind {proxy.scheme}://")
        connection = http.client.HTTPConnection(proxy.hostname or "", proxy.port or 80, timeout=timeout)
        connection.set_tunnel(host, port, _credentials(proxy))
    connection.connect()
    made: socket.socket = connection.sock
    return access.tls.wrap_socket(made, server_hostname=host) if access.tls else made


def _credentials(proxy: urllib.parse.SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{urllib.parse.unquote(proxy.username)}:{urllib.parse.unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


class _Connection:
    """One local connection and the one to the Pod. A single thread carries both directions."""

    def __init__(self, local: socket.socket, remote: Any) -> None:
        self._local, self._remote = local, remote
        self._to_local, self._to_remote = bytearray(), bytearray()
        self._greeted: set[int] = set()
        self._answered = False
        self._heard = self._pinged = time.monotonic()
        self._stopped = False

    def stop(self) -> None:
        """Ends both."""
        self._stopped = True
        with contextlib.suppress(OSError):
            self._local.shutdown(socket.SHUT_RDWR)

    def carry(self) -> None:
        """Carries bytes until one side ends."""
        self._local.setblocking(False)
        try:
            while not self._stopped and self._step():
                pass
        except (OSError, websocket.WebSocketException):
            pass  # the local connection ends without the end of a response, so its client knows
        finally:
            with contextlib.suppress(OSError, websocket.WebSocketException):
                self._remote.shutdown()

    def _step(self) -> bool:
        """Carries what can be carried now. Returns whether it goes on."""
        remote: socket.socket = self._remote.sock
        buffered = isinstance(remote, ssl.SSLSocket) and remote.pending() > 0 and not self._to_local
        reading = ([] if self._to_remote else [self._local]) + ([] if self._to_local else [remote])
        writing = ([remote] if self._to_remote else []) + ([self._local] if self._to_local else [])
        can_read, can_write, _ = select.select(reading, writing, [], 0 if buffered else _PING)
        if self._local in can_write:
            del self._to_local[: self._local.send(self._to_local)]
        if remote in can_write:
            part = bytes(self._to_remote[:_PART])
            self._remote.send_binary(bytes([_DATA]) + part)
            del self._to_remote[: len(part)]
        if (remote in can_read or buffered) and not self._receive():
            return False
        if self._local in can_read:
            data = self._local.recv(_PART)
            if not data:
                return False
            self._to_remote += data
        return self._alive()

    def _receive(self) -> bool:
        """Takes one frame from the Pod. Returns False at its end."""
        kind, frame = self._remote.recv_data_frame(control_frame=True)
        self._heard = time.monotonic()
        if kind == websocket.ABNF.OPCODE_CLOSE:
            return False
        if kind != websocket.ABNF.OPCODE_BINARY or not frame.data:
            return True
        channel, data = frame.data[0], frame.data[1:]
        if channel not in self._greeted:
            self._greeted.add(channel)
            data = data[2:]
        if channel == _ERROR and data:
            return self._failed(data.decode(errors="replace"))
        if channel == _DATA and data:
            self._answered = True
            self._to_local += data
        return True

    def _failed(self, message: str) -> bool:
        """Reports what the node could not do. Nobody listens: then the request has reached nobody."""
        if not self._answered:
            refused = "refused" in message
            self._local.setblocking(True)
            _refuse(self._local, 503 if refused else 502, printable(message), retry=refused)
        return False

    def _alive(self) -> bool:
        """Asks from time to time whether the server is still there. While the client does not read, nobody knows."""
        now = time.monotonic()
        if self._to_local:
            self._heard = now
        if now - self._pinged >= _PING:
            self._pinged = now
            self._remote.ping()
        return now - self._heard < _SILENCE


def _refuse(local: socket.socket, status: int, message: str, retry: bool) -> None:
    """Answers a request that goes nowhere, and lets its sender end."""
    body = json.dumps({"detail": message}).encode()
    head = [
        f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    head += [f"Retry-After: {_RETRY_AFTER}"] if retry else []
    with contextlib.suppress(OSError):
        local.settimeout(5)
        local.sendall("\r\n".join([*head, "", ""]).encode() + body)
        local.shutdown(socket.SHUT_WR)
        while local.recv(_PART):
            pass
