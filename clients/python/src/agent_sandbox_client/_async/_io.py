# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What the asyncio client and the other one do differently. _sync/_io.py has the same names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from .._duplex import AsyncDuplex as AsyncDuplex

T = TypeVar("T")
Lock = asyncio.Lock
Input = bytes | str | Iterable[bytes] | AsyncIterator[bytes]


#: Extensions of a request. asyncio sends small parts at once by itself.
AT_ONCE: dict[str, Any] = {}


async def sleep(seconds: float) -> None:
    """Waits."""
    await asyncio.sleep(seconds)


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """Calls what blocks."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Ends work also if the caller is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def each(function: Callable[[T], Awaitable[None]], items: Sequence[T]) -> None:
    """Calls function for all items at once."""
    await asyncio.gather(*(function(item) for item in items))


async def chunks(source: Input) -> AsyncIterator[bytes]:
    """Yields the parts of an input."""
    if isinstance(source, str):
        yield source.encode()
    elif isinstance(source, bytes):
        yield source
    elif isinstance(source, AsyncIterator):
        async for part in source:
            yield part
    else:
        for part in source:
            yield part
