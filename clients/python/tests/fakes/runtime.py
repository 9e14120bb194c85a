# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A sandbox: runs commands and keeps files in a directory, as docs/reference/runtime.openapi.yaml says."""

from __future__ import annotations

import base64
import contextlib
import email.parser
import email.policy
import json
import os
import shlex
import ssl
import subprocess
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .server import Handler, Server


@dataclass
class Seen:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)


class FakeRuntime(Server):
    """A sandbox.

    Attributes:
        root: Its base directory.
        seen: The requests that came.
        failures: What the next requests get instead of an answer: a status, or None for a connection that breaks.
        missing: Endpoints that it does not have.
        token: The token that it needs as a router does. None if it needs none.
        answers: Answers wait for it. It is set unless a test clears it.
        raw: What POST /execute and POST /agent answer.
        breaking: Whether streams end before the exit code.
    """

    def __init__(self, root: Path, tls: ssl.SSLContext | None = None) -> None:
        self.root = root
        self.seen: list[Seen] = []
        self.failures: list[int | None] = []
        self.failure_headers: dict[str, str] = {}
        self.missing: set[str] = set()
        self.token: str | None = None
        self.raw: bytes | None = None
        self.breaking = False
        self.answers = threading.Event()
        self.answers.set()
        self.running: set[subprocess.Popen[bytes]] = set()
        super().__init__(_Handler, tls)

    def requests(self, prefix: str) -> list[Seen]:
        """Returns the requests whose path begins so."""
        return [one for one in self.seen if one.path.startswith(prefix)]


class _Handler(Handler):
    fake: FakeRuntime

    def do_GET(self) -> None:
        if not self._begun():
            return
        kind, _, quoted = self.path.split("?")[0].lstrip("/").partition("/")
        path = self._inside(urllib.parse.unquote(quoted))
        if path is None:
            self.answer(403, {"detail": "outside of the base directory"})
        elif kind == "exists":
            self.answer(200, {"path": str(path), "exists": path.exists()})
        elif kind == "":
            self.answer(200, {"status": "ok"})
        elif not path.exists():
            self.answer(404, {"detail": f"no such file: {path.name}"})
        elif kind == "list" and path.is_dir():
            entries = sorted(path.iterdir())
            self.answer(200, [self._entry(entry) for entry in entries])
        elif kind == "download" and path.is_file():
            self.answer_bytes(200, path.read_bytes(), {"Content-Type": "application/octet-stream"})
        else:
            self.answer(400, {"detail": "it is something else"})

    def do_POST(self) -> None:
        if not self._begun():
            return
        if self.path == "/upload":
            self._upload(self.body())
        elif self.path in ("/execute", "/agent") and self.fake.raw is not None:
            self.body()
            self.answer_bytes(200, self.fake.raw)
        elif self.path == "/execute":
            self._execute(json.loads(self.body()))
        elif self.path == "/execute/stream":
            self._stream()
        elif self.path == "/agent":
            self.answer(200, {"stdout": json.loads(self.body())["query"], "stderr": "", "exit_code": 0})
        else:
            self.answer(404, {"detail": "no such endpoint"})

    def _begun(self) -> bool:
        """Records the request. Returns False if it has had its answer already."""
        fake = self.fake
        fake.seen.append(Seen(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}))
        fake.answers.wait()
        if fake.failures:
            status = fake.failures.pop(0)
            if status is None:
                self.hang_up()
                return False
            self.body()
            self.answer(status, {"detail": "a failure\x1b[31m"}, fake.failure_headers)
            return False
        if fake.token is not None and self.headers.get("Authorization") != f"Bearer {fake.token}":
            self.body()
            self.answer(401, {"detail": "there is no valid token"})
            return False
        if self.path.lstrip("/") in fake.missing:
            self.body()
            self.answer(404, {"detail": "no such endpoint"})
            return False
        return True

    def _inside(self, path: str) -> Path | None:
        found = (self.fake.root / path.lstrip("/")).resolve()
        return found if found.is_relative_to(self.fake.root.resolve()) else None

    def _entry(self, path: Path) -> dict[str, Any]:
        stat = path.stat()
        kind = "directory" if path.is_dir() else "file"
        return {"name": path.name, "size": stat.st_size, "type": kind, "mod_time": stat.st_mtime}

    def _upload(self, body: bytes) -> None:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head)
        boundary = str(form.get_boundary())
        part = body.removeprefix(f"--{boundary}\r\n".encode()).removesuffix(f"\r\n--{boundary}--\r\n".encode())
        lines, _, content = part.partition(b"\r\n\r\n")
        quoted = lines.split(b"\r\n")[0].decode().partition('filename="')[2]
        name = quoted.removesuffix('"').replace('\\"', '"').replace("\\\\", "\\")
        path = self._inside(name)
        if path is None:
            self.answer(403, {"detail": "outside of the base directory"})
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.answer(200, {"path": name, "size": len(content)})

    def _start(self, request: dict[str, Any]) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            shlex.split(request["command"]),
            cwd=self.fake.root,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        self.fake.running.add(process)
        return process

    def _execute(self, request: dict[str, Any]) -> None:
        try:
            process = self._start(request)
        except OSError as error:
            self.answer(200, {"stdout": "", "stderr": str(error), "exit_code": 1})
            return
        timed_out = False
        try:
            out, err = process.communicate(timeout=request.get("timeout_seconds"))
        except subprocess.TimeoutExpired:
            _kill(process)
            out, err = process.communicate()
            timed_out = True
        self.fake.running.discard(process)
        _close(process)
        code = 124 if timed_out else process.returncode if process.returncode >= 0 else 128 - process.returncode
        texts = {"stdout": out.decode(errors="replace"), "stderr": err.decode(errors="replace")}
        self.answer(200, {**texts, "exit_code": code})

    def _stream(self) -> None:
        lines = _lines(self.parts())
        process = self._start(json.loads(next(lines)))
        self.begin_chunks("application/x-ndjson")
        sending = threading.Lock()

        def send(value: dict[str, Any]) -> None:
            with sending:
                try:
                    self.chunk(json.dumps(value).encode() + b"\n")
                except OSError:
                    _kill(process)

        def pump(name: str, pipe: Any) -> None:
            while data := os.read(pipe.fileno(), 4096):
                send({"stream": name, "data": base64.b64encode(data).decode()})

        pumps = [
            threading.Thread(target=pump, args=("stdout", process.stdout)),
            threading.Thread(target=pump, args=("stderr", process.stderr)),
        ]
        for thread in pumps:
            thread.start()
        assert process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            for line in lines:
                assert len(line) <= 4 << 20, "the runtime takes no longer lines"
                process.stdin.write(base64.b64decode(json.loads(line)["data"]))
                process.stdin.flush()
        with contextlib.suppress(OSError):
            process.stdin.close()
        for thread in pumps:
            thread.join()
        code = process.wait()
        if not self.fake.breaking:
            send({"exit_code": code})
        _close(process)
        self.fake.running.discard(process)
        with contextlib.suppress(OSError):
            self.chunk(b"")


def _lines(parts: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
