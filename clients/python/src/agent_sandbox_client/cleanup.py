# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Deletes what clients have made when the process ends."""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from ._sync.k8s_helper import K8sHelper
from .cluster import ClusterAccess

_SIGNALS = ("SIGTERM", "SIGHUP")
_log = logging.getLogger("agent_sandbox_client")


class Client(Protocol):
    """What this module needs of a client."""

    def undeleted_sandboxes(self) -> list[tuple[str, str]]:
        """Returns the namespaces and names of the claims to delete."""

    def known_access(self) -> ClusterAccess | None:
        """Returns how the API server is reached. None if that was never needed."""


def register(client: Client) -> Callable[[], None]:
    """Deletes the sandboxes of the client when the process exits. Returns what takes that back.

    Signals that would end the process at once end it as sys.exit does, so that `with` statements and this are carried
    out. A program's own handlers of signals stay.
    """
    process = os.getpid()

    def at_exit() -> None:
        if os.getpid() == process:  # what a fork of it has, belongs to the process
            _delete_all(client)

    atexit.register(at_exit)
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name, None) for name in _SIGNALS):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _exit)
    return lambda: atexit.unregister(at_exit)


def _exit(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second signal ends it at once
    sys.exit(128 + number)


def _delete_all(client: Client) -> None:
    """Deletes one claim after the other: at the exit of the interpreter, there are neither new threads nor loops."""
    claims, access = client.undeleted_sandboxes(), client.known_access()
    if not claims or access is None:
        return
    helper = K8sHelper(access)
    for namespace, name in claims:
        try:
            helper.delete_sandbox_claim(name, namespace)
        except Exception as error:
            _log.error("the claim %s/%s could not be deleted: %s", namespace, name, error)
    helper.close()
