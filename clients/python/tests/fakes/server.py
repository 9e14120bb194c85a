# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""An HTTP server in a thread."""

from __future__ import annotations

import http.server
import json
import ssl
import threading
from collections.abc import Iterator
from typing import Any


class _HTTPServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of the usual five, clients that come all at once wait for a second

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: clients may break off."""


class Server:
    """Serves on a port of this machine until stop."""

    def __init__(self, handler: type[http.server.BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None) -> None:
        owner = self

        class Bound(handler):  # type: ignore[misc, valid-type]
            fake = owner

        self._handler, self._tls, self.port = Bound, tls, 0
        self.start()
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Begins to serve, after a stop on the same port."""
        self._server = _HTTPServer(("127.0.0.1", self.port), self._handler)
        self.port = self._server.server_port
        if self._tls is not None:
            self._server.socket = self._tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Ends the server. Connections that are open go on."""
        self._server.shutdown()
        self._server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers JSON, and reads bodies as they come."""

    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True

    def answer(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        """Sends JSON."""
        self.answer_bytes(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})

    def answer_bytes(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        """Sends bytes."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def begin_chunks(self, kind: str) -> None:
        """Begins a response whose length is not known."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        """Sends a part; an empty one ends the response."""
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def body(self) -> bytes:
        """Returns the body."""
        return b"".join(self.parts())

    def parts(self) -> Iterator[bytes]:
        """Yields the body as it comes."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            yield self.rfile.read(int(self.headers.get("Content-Length", 0)))
            return
        while size := int(self.rfile.readline() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def hang_up(self) -> None:
        """Ends the connection without an answer."""
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Says nothing."""
