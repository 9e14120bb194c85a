# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A program in a sandbox that is reached through the router: an agent, Server-Sent Events, and a WebSocket."""

import base64
import hashlib
import http.server
import json
import struct
import sys
import threading

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    go = threading.Event()  # lets the second event of /events out

    def answer(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/agent":
            self.answer({"stdout": json.loads(body)["query"], "stderr": "", "exit_code": 0})
        elif self.path == "/go":
            self.go.set()
            self.answer({})
        else:
            self.send_error(404)

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/events":
            self.events()
        elif path == "/socket":
            self.socket()
        else:  # what arrived
            self.answer({"path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()}})

    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"data: first\n\n")
        self.wfile.flush()
        self.go.wait(60)
        self.wfile.write(b"data: second\n\n")
        self.close_connection = True

    def socket(self):
        accept = base64.b64encode(hashlib.sha1(self.headers["Sec-WebSocket-Key"].encode() + GUID).digest())
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", accept.decode())
        self.end_headers()
        self.close_connection = True
        while True:
            first, second = self.rfile.read(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.rfile.read(2))
            mask = self.rfile.read(4)  # clients mask what they send
            data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.rfile.read(length)))
            size = bytes([length]) if length < 126 else b"\x7e" + struct.pack("!H", length)
            self.wfile.write(bytes([first]) + size + data)
            if first & 0x0F == 8:  # the end, which was echoed as everything else
                return

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
