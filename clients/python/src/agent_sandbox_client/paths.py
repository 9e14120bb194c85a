# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Paths in a sandbox, and names that come from one."""

from __future__ import annotations

import posixpath
import urllib.parse


def safe_path(path: str) -> str:
    """Returns a path below the base directory of the sandbox. Raises ValueError for one that leads elsewhere.

    Control characters are refused before anything else, because a server may end a name at a NUL.
    """
    if any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in path):
        raise ValueError(f"the path {path!r} has control characters")
    normal = posixpath.normpath(path.strip()).lstrip("/") if path.strip() else ""
    if normal in ("", "."):
        raise ValueError(f"the path {path!r} names no file")
    if ".." in normal.split("/"):
        raise ValueError(f"the path {path!r} leads out of the base directory")
    return normal


def quoted(path: str) -> str:
    """Returns a path as one segment of a URL."""
    return urllib.parse.quote(path, safe="")


def local_name(name: str) -> str:
    """Returns a name of a directory's entry that came from a sandbox. Raises ValueError if it is more than a name."""
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        raise ValueError(f"the sandbox lists an entry that is no name: {name!r}")
    return name


def multipart(name: str, boundary: str) -> tuple[bytes, bytes]:
    """Returns what comes before and after the content of an uploaded file.

    Quotes and backslashes are escaped with a backslash, as RFC 2616 says and servers read it; browsers' way would
    change
    the name.
    """
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{escaped}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return head.encode(), f"\r\n--{boundary}--\r\n".encode()
