# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A proxy: CONNECT for encrypted connections, and whole URLs for others. Every host name leads to this machine."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import urllib.parse

from .server import Handler, Server


class FakeProxy(Server):
    """A proxy.

    Attributes:
        seen: The hosts and ports that were asked for.
        credentials: The header Proxy-Authorization that it wants. None wants none.
    """

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.credentials: str | None = None
        super().__init__(_Handler)


class _Handler(Handler):
    fake: FakeProxy

    def _welcome(self, server: str) -> bool:
        self.fake.seen.append(server)
        if self.fake.credentials in (None, self.headers.get("Proxy-Authorization")):
            return True
        self.body()
        self.answer(407, {"detail": "who are you?"})
        return False

    def do_CONNECT(self) -> None:
        if not self._welcome(self.path):
            return
        there = socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2])))
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        back = threading.Thread(target=_carry, args=(there, self.connection), daemon=True)
        back.start()
        _carry(self.connection, there)
        back.join()
        there.close()

    def _pass_on(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        if not self._welcome(url.netloc):
            return
        server = http.client.HTTPConnection("127.0.0.1", url.port or 80)
        server.request(self.command, self.path.partition(url.netloc)[2], self.body(), dict(self.headers.items()))
        answer = server.getresponse()
        self.answer_bytes(answer.status, answer.read(), {"Content-Type": answer.headers.get("Content-Type", "")})
        server.close()

    do_GET = do_POST = do_PATCH = do_DELETE = _pass_on


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
