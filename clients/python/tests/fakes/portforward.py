# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The server's side of a port-forward over WebSocket."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import socket
import struct
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kubernetes import FakeKubernetes
    from .server import Handler

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455
_BINARY, _CLOSE, _PING, _PONG = 2, 8, 9, 10


def serve(handler: Handler, fake: FakeKubernetes, pod: str, port: int) -> None:
    """Carries one connection to the address that the fake has for the Pod."""
    fake.calls.append(("portforward", "pods", pod))
    if ("create", "pods/portforward") in fake.forbidden:
        handler.answer(403, {"message": "forbidden"})
        return
    if ("create", "pods/portforward") in fake.hanging:
        fake.ended.wait()
    address = fake.pods.get((pod, port), fake.any_pod)
    if address is None and not any(name == pod for name, _ in fake.pods):
        handler.answer(404, {"message": f'pods "{pod}" not found'})
        return
    accept = base64.b64encode(hashlib.sha1(handler.headers["Sec-WebSocket-Key"].encode() + _GUID).digest())
    handler.send_response(101)
    handler.send_header("Upgrade", "websocket")
    handler.send_header("Connection", "Upgrade")
    handler.send_header("Sec-WebSocket-Accept", accept.decode())
    handler.send_header("Sec-WebSocket-Protocol", handler.headers["Sec-WebSocket-Protocol"])
    handler.end_headers()
    client = _Client(handler)
    for channel in (0, 1):
        client.send(_BINARY, bytes([channel]) + struct.pack("<H", port))
    try:
        connection = socket.create_connection(address or ("127.0.0.1", 1))
    except OSError as error:
        client.send(_BINARY, b"\x01" + f"failed to connect to localhost:{port}: {error.strerror.lower()}".encode())
        client.send(_CLOSE, b"")
        return
    fake.forwards.add(handler.connection)
    threading.Thread(target=_from_pod, args=(client, connection), daemon=True).start()
    with contextlib.suppress(OSError, struct.error), connection:
        _to_pod(client, connection, fake)
    fake.forwards.discard(handler.connection)


class _Client:
    def __init__(self, handler: Handler) -> None:
        self._handler, self._sending = handler, threading.Lock()

    def send(self, kind: int, data: bytes) -> None:
        """Sends a frame."""
        size = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack("!H", len(data))
        with self._sending, contextlib.suppress(OSError):
            self._handler.wfile.write(bytes([0x80 | kind]) + size + data)

    def receive(self) -> tuple[int, bytes]:
        """Returns the kind and the data of the next frame."""
        head = self._handler.rfile.read(2)
        if len(head) < 2:
            return _CLOSE, b""
        length = head[1] & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self._handler.rfile.read(2))
        mask = self._handler.rfile.read(4)
        data = self._handler.rfile.read(length)
        pad = (mask * (length // 4 + 1))[:length]
        return head[0] & 0x0F, (int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")).to_bytes(length, "big")


def _from_pod(client: _Client, connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := connection.recv(32 * 1024):
            client.send(_BINARY, b"\x00" + data)
    client.send(_CLOSE, b"")


def _to_pod(client: _Client, connection: socket.socket, fake: Any) -> None:
    while True:
        kind, data = client.receive()
        if kind == _CLOSE:
            return
        if fake.mute:
            continue
        if kind == _PING:
            client.send(_PONG, data)
        elif kind == _BINARY and data[:1] == b"\x00":
            connection.sendall(data[1:])
