# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Text from the cluster or from a sandbox in messages."""

from __future__ import annotations

_LIMIT = 500


def printable(text: object) -> str:
    """Returns text without control characters, on one line, and not longer than a message should be."""
    words = " ".join(str(text).split())
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words)
    return clean if len(clean) <= _LIMIT else clean[:_LIMIT] + "..."


class LineBuffer:
    """Splits bytes into lines at newlines alone: other separators may be part of JSON."""

    def __init__(self, limit: int) -> None:
        self._rest, self._limit = b"", limit

    def feed(self, data: bytes) -> list[str]:
        """Returns the lines that data completes. Raises ValueError for a line that is longer than the limit."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > self._limit:
            raise ValueError(f"a line is longer than {self._limit} bytes")
        return [line.decode(errors="replace") for line in lines if line.strip()]
