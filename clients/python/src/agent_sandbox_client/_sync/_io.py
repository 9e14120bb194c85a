# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the asyncio client and the other one do differently. _async/_io.py has the same names."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from .._duplex import Duplex as Duplex

T = TypeVar("T")
Lock = threading.Lock
Input = bytes | str | Iterable[bytes]


def _send_small_parts_at_once(event: str, info: Mapping[str, Any]) -> None:
    """Without this the body of a request waits for the acknowledgement of its head, which takes 40 ms."""
    if event == "connection.connect_tcp.complete":
        connection = info["return_value"].get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


#: Extensions of a request.
AT_ONCE: dict[str, Any] = {"trace": _send_small_parts_at_once}


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def in_thread(function: Callable[..., T], *args: Any) -> T:
    """Calls what blocks."""
    return function(*args)


def each(function: Callable[[T], None], items: Sequence[T]) -> None:
    """Calls function for all items at once."""
    if not items:
        return
    with ThreadPoolExecutor(max_workers=min(len(items), 16)) as executor:
        for _ in executor.map(function, items):
            pass


def chunks(source: Input) -> Iterator[bytes]:
    """Yields the parts of an input."""
    if isinstance(source, str):
        yield source.encode()
    elif isinstance(source, bytes):
        yield source
    else:
        yield from source
