# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Work in many sandboxes at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from ._async.sandbox import AsyncSandbox
from ._async.sandbox_client import AsyncSandboxClient

T = TypeVar("T")
R = TypeVar("R")


async def map_sandboxes(
    client: AsyncSandboxClient,
    work: Callable[[AsyncSandbox, T], Awaitable[R]],
    items: Iterable[T],
    *,
    concurrency: int = 20,
    reuse: bool = False,
    **creation: Any,
) -> list[R]:
    """Does work for each item in a sandbox, and returns the results in the order of the items.

    The first error ends the other work, and is raised when all sandboxes are deleted.

    Args:
        client: The client that creates the sandboxes.
        work: Is called with a sandbox and an item.
        items: The items.
        concurrency: How many sandboxes there are at once.
        reuse: Whether a sandbox may get another item when it is done with one. By default each item has its own.
        creation: Arguments of `create_sandbox`, such as template or pool.

    Raises:
        ValueError: concurrency is not positive.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is positive, not {concurrency}")
    pending = list(enumerate(items))
    pending.reverse()
    results: dict[int, R] = {}

    async def worker() -> None:
        while pending:
            async with await client.create_sandbox(**creation) as sandbox:
                while pending:
                    index, item = pending.pop()
                    results[index] = await work(sandbox, item)
                    if not reuse:
                        break

    await _all([asyncio.ensure_future(worker()) for _ in range(min(concurrency, len(pending)))])
    return [results[index] for index in range(len(results))]


async def _all(workers: list[asyncio.Task[None]]) -> None:
    """Waits for all. After the first error, and after a cancellation, the others are cancelled and waited for."""
    try:
        await asyncio.gather(*workers)
    finally:
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
