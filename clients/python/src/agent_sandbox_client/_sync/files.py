# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/files.py by tools/generate.py. Do not edit.
"""Files in a sandbox."""

from __future__ import annotations

import builtins
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .. import paths, requests
from ..exceptions import SandboxRequestError
from ..models import FileEntry
from ..requests import Request
from ..tracing import Tracer
from ..trees import scan
from . import _io
from .commands import CommandExecutor
from .connector import SandboxConnector

_PART = 1024 * 1024  # bytes
_READ_LIMIT = 256 * 1024 * 1024  # bytes
_DEEPEST = 64  # directories; a link that leads to a directory above would have no end
_NAMES = 200  # names that one command gets


class Filesystem:
    """Reads and writes files in a sandbox. Paths are below its base directory, also with a leading slash."""

    def __init__(self, connector: SandboxConnector, tracer: Tracer, commands: CommandExecutor) -> None:
        self.connector, self._tracer, self._commands = connector, tracer, commands

    def write(
        self, path: str, content: bytes | str, timeout: float | None = 60, allow_unsafe_paths: bool = False
    ) -> None:
        """Writes a file, and creates its directories. A file of that name is replaced when all of it is there.

        Args:
            path: The path of the file.
            content: The content. Text is written as UTF-8.
            timeout: How long the answer may be silent, in seconds.
            allow_unsafe_paths: Whether to leave the judgement of the path to the sandbox.

        Raises:
            ValueError: The path leads out of the base directory, or has control characters.
            SandboxRequestError: The sandbox does not write the file.
        """
        data = content.encode() if isinstance(content, str) else content
        head, headers, tail = _form(path, len(data), allow_unsafe_paths)
        with self._tracer.span("write", {"sandbox.file.path": path, "sandbox.file.size": len(data)}):
            body = head + data + tail
            self.connector.send(Request("POST", "upload", headers, body=body, timeout=timeout, repeatable=True))

    def read(
        self,
        path: str,
        timeout: float | None = 60,
        allow_unsafe_paths: bool = False,
        *,
        max_size: int = _READ_LIMIT,
    ) -> bytes:
        """Returns the content of a file.

        Args:
            path: The path of the file.
            timeout: How long the answer may be silent, in seconds.
            allow_unsafe_paths: Whether to leave the judgement of the path to the sandbox.
            max_size: How large the file may be, in bytes. `download` has no limit.

        Raises:
            ValueError: The path leads out of the base directory, or has control characters.
            SandboxResponseTooLargeError: The file is larger than max_size.
            SandboxRequestError: The sandbox does not send the file. The status_code is 404 if there is none.
        """
        name = path if allow_unsafe_paths else paths.safe_path(path)
        endpoint = f"download/{paths.quoted(name)}"
        with self._tracer.span("read", {"sandbox.file.path": path}):
            request = Request("GET", endpoint, timeout=timeout, repeatable=True, limit=max_size)
            return (self.connector.send(request)).content

    def list(self, path: str, timeout: float | None = 60) -> builtins.list[FileEntry]:
        """Returns the entries of a directory. "." is the base directory."""
        with self._tracer.span("list", {"sandbox.file.path": path}):
            answer: Any = self._ask("list", path, timeout)
            try:
                return [FileEntry(e["name"], int(e["size"]), e["type"], float(e["mod_time"])) for e in answer]
            except (KeyError, TypeError, ValueError) as error:
                raise SandboxRequestError(f"GET /list/{path}: the answer is not as the contract says") from error

    def exists(self, path: str, timeout: float | None = 60) -> bool:
        """Returns whether there is a file or directory."""
        with self._tracer.span("exists", {"sandbox.file.path": path}):
            answer = self._ask("exists", path, timeout)
            return isinstance(answer, dict) and answer.get("exists") is True

    def upload(self, local: str | os.PathLike[str], path: str, timeout: float | None = 60) -> None:
        """Copies a file or a directory of this machine into the sandbox, of any size.

        A directory is copied with all that is in it, also empty directories, and executable files stay executable.
        Links
        to files are copied as files; links to directories raise ValueError.

        Args:
            local: The file or directory.
            path: Its path in the sandbox.
            timeout: How long each answer may be silent, in seconds.
        """
        source = Path(local)
        if not source.is_dir():
            self._upload_file(source, path, timeout)
            self._mark_executable([path] if os.access(source, os.X_OK) else [])
            return
        tree = _io.in_thread(scan, source)
        self._run_for("mkdir", ["-p"], [_below(path, name) for name in tree.empty])
        for name in tree.files:
            self._upload_file(source / name, _below(path, name), timeout)
        self._mark_executable([_below(path, name) for name in tree.executable])

    def download(self, path: str, local: str | os.PathLike[str], timeout: float | None = 60) -> None:
        """Copies a file or a directory of the sandbox to this machine, of any size.

        A file takes its name when all of it is there. Modes are not copied. A directory is merged into one that exists.

        Args:
            path: The path in the sandbox.
            local: The path on this machine.
            timeout: How long each answer may be silent, in seconds.
        """
        try:
            self._download_file(path, Path(local), timeout)
        except SandboxRequestError as error:
            if error.status_code not in (400, 403, 404):
                raise
            try:
                entries = self.list(path, timeout)
            except SandboxRequestError:
                raise error from None
            self._download_entries(path, entries, Path(local), timeout, 1)

    def _download_entries(
        self, path: str, entries: builtins.list[FileEntry], local: Path, timeout: float | None, depth: int
    ) -> None:
        if depth > _DEEPEST:
            raise ValueError(f"{path!r} is more than {_DEEPEST} directories deep: is there a link that leads back?")
        local.mkdir(parents=True, exist_ok=True)
        for entry in entries:
            name = paths.local_name(entry.name)
            inner = _below(path, name)
            if entry.type == "directory":
                self._download_entries(inner, self.list(inner, timeout), local / name, timeout, depth + 1)
            else:
                self._download_file(inner, local / name, timeout)

    def _download_file(self, path: str, local: Path, timeout: float | None) -> None:
        partial = local.with_name(f".{local.name[:200]}.{uuid.uuid4().hex[:8]}.part")
        try:
            with partial.open("xb") as file:
                endpoint = f"download/{paths.quoted(paths.safe_path(path))}"
                self.connector.send(Request("GET", endpoint, timeout=timeout, repeatable=True, into=file))
            partial.replace(local)
        finally:
            partial.unlink(missing_ok=True)

    def _upload_file(self, source: Path, path: str, timeout: float | None) -> None:
        with source.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            head, headers, tail = _form(path, size, False)

            def body() -> Iterator[bytes]:
                return _parts(head, file, size, tail)

            self.connector.send(Request("POST", "upload", headers, body=body, timeout=timeout, repeatable=True))

    def _mark_executable(self, names: builtins.list[str]) -> None:
        self._run_for("chmod", ["+x"], names)

    def _run_for(self, program: str, options: builtins.list[str], names: builtins.list[str]) -> None:
        """Runs a program of the sandbox on names, as many at a time as a command takes."""
        for at in range(0, len(names), _NAMES):
            safe = [f"./{paths.safe_path(name)}" for name in names[at : at + _NAMES]]
            result = self._commands.run([program, *options, "--", *safe])
            if result.exit_code != 0:
                raise SandboxRequestError(f"{program} in the sandbox: {requests.detail(result.stderr.encode())}")

    def _ask(self, what: str, path: str, timeout: float | None) -> object:
        response = self.connector.send(
            Request("GET", f"{what}/{paths.quoted(path)}", timeout=timeout, repeatable=True)
        )
        try:
            return response.json()
        except ValueError as error:
            message = f"GET /{what}/{path}: the answer is no JSON: {requests.detail(response.content)}"
            raise SandboxRequestError(message, response.status_code, response) from error


def _form(path: str, size: int, unsafe: bool) -> tuple[bytes, dict[str, str], bytes]:
    """Returns what surrounds the content of an upload, and the headers."""
    boundary = uuid.uuid4().hex
    head, tail = paths.multipart(path if unsafe else paths.safe_path(path), boundary)
    length = str(len(head) + size + len(tail))
    return head, {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": length}, tail


def _parts(head: bytes, file: BinaryIO, size: int, tail: bytes) -> Iterator[bytes]:
    """Yields a form with the first size bytes of a file."""
    file.seek(0)
    yield head
    while size > 0:
        part = _io.in_thread(file.read, min(_PART, size))
        if not part:
            raise OSError(f"{file.name} has become shorter while it was read")
        size -= len(part)
        yield part
    yield tail


def _below(path: str, name: str) -> str:
    return name if path in (".", "", "/") else f"{path.rstrip('/')}/{name}"
