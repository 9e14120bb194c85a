# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Waiting for what other threads and processes do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


def eventually(reached: Callable[[], bool], seconds: float = 30) -> None:
    """Returns when a state is reached, and fails if it is not."""
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, "it is not reached"
        threading.Event().wait(0.01)
