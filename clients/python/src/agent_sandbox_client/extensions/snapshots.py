# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sandboxes that are suspended with a snapshot and resumed from it, in clusters that serve podsnapshot.gke.io."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import claims
from .._sync.sandbox import Sandbox
from .._sync.sandbox_client import GenericSandboxClient
from ..exceptions import SandboxError
from ..kubeapi import Resource
from .snapshot_engine import ERROR_CODE, SUCCESS_CODE, SnapshotEngine, SnapshotResponse, served_version

PODS = Resource("", "v1", "pods")


@dataclass(frozen=True)
class SuspendResponse:
    """What became of a suspension.

    Attributes:
        success: Whether the sandbox is suspended.
        snapshot_response: The snapshot that was made before. None if there was none to make.
        error_reason: Why it is not.
        error_code: 0, or 1 if it is not.
    """

    success: bool
    snapshot_response: SnapshotResponse | None = None
    error_reason: str = ""
    error_code: int = SUCCESS_CODE


@dataclass(frozen=True)
class RestoreCheckResult:
    """Whether a Pod was restored from a snapshot. If not, error_reason says why, and error_code is 1."""

    success: bool
    error_reason: str = ""
    error_code: int = SUCCESS_CODE


@dataclass(frozen=True)
class ResumeResponse:
    """What became of a resumption.

    Attributes:
        success: Whether the sandbox runs, and as it was in its last snapshot if it has one.
        restored_from_snapshot: Whether it was restored. Without a snapshot it was started anew.
        snapshot_uid: The name of the PodSnapshot.
        error_reason: What went wrong.
        error_code: 0, or 1 if something did.
    """

    success: bool
    restored_from_snapshot: bool = False
    snapshot_uid: str | None = None
    error_reason: str = ""
    error_code: int = SUCCESS_CODE


class SandboxWithSnapshotSupport(Sandbox):
    """A sandbox with snapshots. Errors of the cluster are in the results of `suspend` and `resume`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._snapshots = SnapshotEngine(self.k8s_helper, self.namespace, self.get_pod_name, self.get_sandbox_name_hash)

    @property
    def snapshots(self) -> SnapshotEngine:
        """Makes, lists and deletes snapshots."""
        return self._snapshots

    def suspend(  # type: ignore[override] # the other client returns errors here
        self, snapshot_before_suspend: bool = True, wait_timeout: float = 180
    ) -> SuspendResponse:
        """Makes a snapshot, and then ends the Pod. Without a snapshot the Pod stays.

        Args:
            snapshot_before_suspend: Whether to make one.
            wait_timeout: How long to wait for the snapshot, and again for the end of the Pod, in seconds.
        """
        made: SnapshotResponse | None = None
        try:
            if self.is_suspended():
                return SuspendResponse(True)
            self.get_sandbox_name_hash()  # some operators forget it with the Pod, and `resume` needs it
            if snapshot_before_suspend:
                made = self.snapshots.create(f"suspend-{self.sandbox_id}", wait_timeout)
                if not made.success:
                    return SuspendResponse(False, made, f"there is no snapshot: {made.error_reason}", ERROR_CODE)
            super().suspend(wait_timeout)
        except SandboxError as error:
            return SuspendResponse(False, made, str(error), ERROR_CODE)
        return SuspendResponse(True, made)

    def resume(self, wait_timeout: float = 180) -> ResumeResponse:  # type: ignore[override]
        """Starts the Pod again, and makes sure that it was restored from the newest snapshot if there is one.

        Args:
            wait_timeout: How long to wait until it is ready, in seconds.
        """
        found = self.snapshots.list()
        if not found.success:
            return ResumeResponse(False, error_reason=found.error_reason, error_code=ERROR_CODE)
        uid = found.snapshots[0].snapshot_uid if found.snapshots else None
        try:
            super().resume(wait_timeout)
        except SandboxError as error:
            return ResumeResponse(False, False, uid, str(error), ERROR_CODE)
        if uid is None:
            return ResumeResponse(True)
        check = self.is_restored_from_snapshot(uid)
        return ResumeResponse(check.success, check.success, uid, check.error_reason, check.error_code)

    def is_restored_from_snapshot(self, uid: str) -> RestoreCheckResult:
        """Returns whether the Pod was restored from a snapshot. It needs the permission to get Pods.

        Args:
            uid: The name of the PodSnapshot.
        """
        try:
            name = self.get_pod_name()
            pod = self.k8s_helper.get(PODS, self.namespace, name)
        except SandboxError as error:
            return RestoreCheckResult(False, str(error), ERROR_CODE)
        restored = claims.condition(pod or {}, "PodRestored")
        if restored.get("status") == "True" and uid in str(restored.get("message", "")):
            return RestoreCheckResult(True)
        return RestoreCheckResult(False, f"Pod {self.namespace}/{name} was not restored from {uid}", ERROR_CODE)

    def terminate(self) -> None:
        """Closes the handle, deletes the claim, and the triggers of snapshots that this handle has made."""
        try:
            self.snapshots.delete_manual_triggers()
        finally:
            super().terminate()


class PodSnapshotSandboxClient(GenericSandboxClient[SandboxWithSnapshotSupport]):
    """A client whose handles have snapshots.

    Args:
        arguments: Those of SandboxClient.

    Raises:
        SandboxClusterError: The cluster serves no snapshots.
    """

    sandbox_class = SandboxWithSnapshotSupport

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        try:
            served_version(self.k8s_helper)
        except BaseException:
            self._end()
            raise
