# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Which requests are sent again, and when."""

from __future__ import annotations

import random
from dataclasses import dataclass

ATTEMPTS = 6
_FIRST_PAUSE, _LONGEST_PAUSE, _LONGEST_WISH = 0.5, 8.0, 30.0
_TRANSIENT = frozenset({500, 502, 503, 504})


@dataclass(frozen=True)
class Failure:
    """How an attempt failed.

    Attributes:
        status: The HTTP status of the answer, or None if there was none.
        retry_after: How many seconds the server asks to wait, or None.
        unsent: Whether the request did not leave this machine.
    """

    status: int | None = None
    retry_after: float | None = None
    unsent: bool = False


def pause(failure: Failure, attempt: int, repeatable: bool) -> float | None:
    """Returns how many seconds to wait before the next attempt, or None if there is none. attempt counts from 1.

    What may change something is sent once: it is repeated only if nobody has begun with it. Servers say that with
    429 or
    503 and a time to wait.
    """
    if attempt >= ATTEMPTS:
        return None
    undelivered = failure.unsent or (failure.status in (429, 503) and failure.retry_after is not None)
    transient = failure.status is None or failure.status in _TRANSIENT
    if not undelivered and not (repeatable and transient):
        return None
    backoff = min(_FIRST_PAUSE * 2.0 ** (attempt - 1), _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
    return max(backoff, min(failure.retry_after or 0.0, _LONGEST_WISH))


def retry_after(value: str | None) -> float | None:
    """Returns the seconds of a Retry-After header. A date counts as absent."""
    try:
        seconds = float(value) if value is not None else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None
