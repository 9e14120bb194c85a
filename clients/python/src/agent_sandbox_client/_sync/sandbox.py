# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/sandbox.py by tools/generate.py. Do not edit.
"""The handle of a sandbox."""

from __future__ import annotations

from datetime import datetime, timezone
from types import TracebackType
from typing import Any, TypeVar

from .. import claims, sandboxes
from ..exceptions import SandboxClosedError, SandboxNotFoundError
from ..models import SandboxConnectionConfig
from ..tracing import Tracer
from .commands import CommandExecutor
from .connector import SandboxConnector
from .files import Filesystem
from .k8s_helper import K8sHelper
from .ports import SandboxPort

Self = TypeVar("Self", bound="Sandbox")


class Sandbox:
    """A sandbox that a claim has. As a context manager, it is deleted at the end.

    Attributes:
        claim_name: The name of the claim. None after `terminate`.
        sandbox_id: The name of the Sandbox, which may be another one.
        namespace: The namespace of both.
        connector: Sends requests to the sandbox, for extensions.
        to_be_deleted: Whether `terminate` could not delete the claim. Call it again, or leave it to the client.
    """

    def __init__(
        self,
        claim_name: str,
        sandbox_id: str,
        namespace: str,
        connection_config: SandboxConnectionConfig,
        k8s_helper: K8sHelper,
        tracer: Tracer | None = None,
        uid: str | None = None,
    ) -> None:
        self.claim_name: str | None = claim_name
        self.sandbox_id, self.namespace, self.uid = sandbox_id, namespace, uid
        self.connection_config, self.k8s_helper = connection_config, k8s_helper
        self.tracer = tracer or Tracer()
        self.connector = SandboxConnector(
            sandbox_id, namespace, connection_config, k8s_helper, self.get_pod_ip, uid, self.tracer
        )
        self._commands: CommandExecutor | None = CommandExecutor(self.connector, self.tracer)
        self._files: Filesystem | None = Filesystem(self.connector, self.tracer, self._commands)
        self.to_be_deleted = False
        self._pod_name: str | None = None
        self._name_hash: str | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(claim_name={self.claim_name!r}, namespace={self.namespace!r})"

    @property
    def is_active(self) -> bool:
        """Whether the handle is open. The sandbox itself may be gone."""
        return self._commands is not None

    @property
    def commands(self) -> CommandExecutor:
        """Runs commands."""
        if self._commands is None:
            raise self._closed()
        return self._commands

    @property
    def files(self) -> Filesystem:
        """Reads and writes files."""
        if self._files is None:
            raise self._closed()
        return self._files

    def _closed(self) -> SandboxClosedError:
        return SandboxClosedError(f"the handle of sandbox {self.namespace}/{self.sandbox_id} is closed")

    def port(self, port: int) -> SandboxPort:
        """Returns a port of the sandbox on which an HTTP server listens.

        Raises:
            ValueError: It is no number of a port.
        """
        if not 0 < port < 65536:
            raise ValueError(f"{port} is no number of a port")
        url, headers = self.connector.endpoint(port)
        return SandboxPort(self.connector, port, url, headers)

    def status(self) -> tuple[str, str]:
        """Returns "SandboxReady", "SandboxNotReady" or "SandboxNotFound", and a message."""
        return sandboxes.status(self._read())

    def get_pod_name(self) -> str:
        """Returns the name of the Pod."""
        if self._pod_name is None:
            self._pod_name = sandboxes.pod_name(self._read(), self.sandbox_id)
        return self._pod_name

    def get_pod_ip(self) -> str | None:
        """Returns the address of the Pod, or None. It is another one after the sandbox was suspended."""
        return sandboxes.pod_ip(self._read())

    def get_sandbox_name_hash(self) -> str | None:
        """Returns the value of the label agents.x-k8s.io/sandbox-name-hash of the Pod, or None."""
        if self._name_hash is None:
            self._name_hash = sandboxes.name_hash(self._read())
        return self._name_hash

    def suspend(self, wait_timeout: float = 180) -> None:
        """Ends the Pod, and keeps the sandbox with its volumes. Returns when the Pod is gone.

        Args:
            wait_timeout: How long to wait for that, in seconds.

        Raises:
            SandboxTimeoutError: It takes longer. The suspension goes on.
        """
        with self.tracer.span("suspend"):
            self._change(sandboxes.SUSPEND)
            self.k8s_helper.wait_for_sandbox(self.sandbox_id, self.namespace, wait_timeout, sandboxes.suspended)

    def resume(self, wait_timeout: float = 180) -> None:
        """Starts the Pod of a suspended sandbox again. Returns when it is ready.

        Args:
            wait_timeout: How long to wait for that, in seconds.

        Raises:
            SandboxTimeoutError: It takes longer. The sandbox goes on starting.
        """
        with self.tracer.span("resume"):
            self._change(sandboxes.RESUME)
            self.k8s_helper.wait_for_sandbox(self.sandbox_id, self.namespace, wait_timeout, sandboxes.ready)
            self._pod_name = None

    def _change(self, spec: dict[str, Any]) -> None:
        self.k8s_helper.patch_sandbox_spec(self.sandbox_id, self.namespace, self.uid, spec)

    def is_suspended(self) -> bool:
        """Returns whether the sandbox is suspended, or about to be."""
        sandbox = self._read()
        return sandbox is not None and sandboxes.suspension_requested(sandbox)

    def extend(self, seconds: int) -> datetime:
        """Moves the time at which the cluster deletes the sandbox, and returns the new one.

        Args:
            seconds: How much later than its present value it will be; than now, if that has passed.

        Raises:
            ValueError: There is no such time, or seconds is no positive int.
        """
        if self.claim_name is None:
            raise self._closed()
        claim = self.k8s_helper.get_sandbox_claim(self.claim_name, self.namespace)
        if claim is None:
            raise SandboxNotFoundError(f"claim {self.namespace}/{self.claim_name} does not exist")
        patch = claims.extension(claim, seconds, datetime.now(timezone.utc))
        self.k8s_helper.patch_claim(self.claim_name, self.namespace, patch)
        return datetime.fromisoformat(patch["spec"]["lifecycle"]["shutdownTime"].replace("Z", "+00:00"))

    def close_connection(self) -> None:
        """Closes the handle. The sandbox goes on: `get_sandbox` of the client returns another handle."""
        self._commands = self._files = None
        self.connector.close()
        self.tracer.end()

    def terminate(self) -> None:
        """Closes the handle and deletes the claim, and with it the sandbox. One that is gone already is no error."""
        self.close_connection()
        if self.claim_name is None:
            return
        self.to_be_deleted = True
        with self.tracer.span("terminate", {"sandbox.claim.name": self.claim_name}):
            self.k8s_helper.delete_sandbox_claim(self.claim_name, self.namespace)
        self.claim_name, self.to_be_deleted = None, False

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.terminate()

    def _read(self) -> dict[str, Any] | None:
        sandbox = self.k8s_helper.get_sandbox(self.sandbox_id, self.namespace)
        if sandbox is not None and self.uid not in (None, sandbox["metadata"].get("uid")):
            return None  # another one of that name
        return sandbox
