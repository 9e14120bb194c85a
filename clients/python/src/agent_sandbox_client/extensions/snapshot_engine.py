# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of Pods, in clusters that serve the group podsnapshot.gke.io."""

from __future__ import annotations

import builtins
import contextlib
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal

from .. import kubeapi
from .._sync.k8s_helper import K8sHelper
from ..claims import Waiting, condition
from ..constants import SANDBOX_NAME_HASH_LABEL
from ..exceptions import SandboxClusterError, SandboxError, SandboxNotFoundError
from ..kubeapi import Resource
from ..text import printable

PODSNAPSHOT_API_GROUP = "podsnapshot.gke.io"
PODSNAPSHOT_PLURAL = "podsnapshots"
PODSNAPSHOTMANUALTRIGGER_PLURAL = "podsnapshotmanualtriggers"

SUCCESS_CODE, ERROR_CODE = 0, 1
_NAME_LENGTH = 38  # characters of a trigger's name that come from the caller; with the time and a suffix it has 63


@dataclass(frozen=True)
class SnapshotResponse:
    """What became of a snapshot that was asked for.

    Attributes:
        success: Whether the snapshot is there.
        trigger_name: The name of the PodSnapshotManualTrigger.
        snapshot_uid: The name of the PodSnapshot.
        snapshot_timestamp: When it was made.
        error_reason: Why there is none.
        error_code: 0, or 1 if there is none.
    """

    success: bool
    trigger_name: str = ""
    snapshot_uid: str | None = None
    snapshot_timestamp: str | None = None
    error_reason: str = ""
    error_code: int = SUCCESS_CODE


@dataclass(frozen=True)
class SnapshotDetail:
    """A snapshot.

    Attributes:
        snapshot_uid: The name of the PodSnapshot.
        creation_timestamp: When it was made.
        ready: Whether a Pod can be restored from it.
        labels: Its labels.
    """

    snapshot_uid: str
    creation_timestamp: str
    ready: bool
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SnapshotFilter:
    """Which snapshots to list.

    Attributes:
        ready_only: Whether to leave out those from which no Pod can be restored.
        grouping_labels: Labels that the snapshots have.
    """

    ready_only: bool = True
    grouping_labels: Mapping[str, str] | None = None


@dataclass(frozen=True)
class ListSnapshotResult:
    """The snapshots of a sandbox, the newest first."""

    success: bool
    snapshots: list[SnapshotDetail] = field(default_factory=list)
    error_reason: str = ""
    error_code: int = SUCCESS_CODE


@dataclass(frozen=True)
class DeleteSnapshotResult:
    """The names of the snapshots that were deleted, also if others could not be."""

    success: bool
    deleted_snapshots: list[str] = field(default_factory=list)
    error_reason: str = ""
    error_code: int = SUCCESS_CODE


class SnapshotEngine:
    """Makes, lists and deletes the snapshots of one sandbox. Errors of the cluster are in the results."""

    def __init__(
        self, k8s_helper: K8sHelper, namespace: str, pod_name: Callable[[], str], name_hash: Callable[[], str | None]
    ) -> None:
        self._helper, self._namespace = k8s_helper, namespace
        self._pod_name, self._name_hash = pod_name, name_hash
        self._version: str | None = None
        self.created_manual_triggers: list[str] = []

    def create(self, trigger_name: str, timeout: float = 180) -> SnapshotResponse:
        """Makes a snapshot of the Pod, and returns when it is there.

        Args:
            trigger_name: The beginning of the name of the PodSnapshotManualTrigger.
            timeout: How long to wait, in seconds.
        """
        name = _trigger_name(trigger_name)
        try:
            triggers = self._resource(PODSNAPSHOTMANUALTRIGGER_PLURAL)
            body = {
                "apiVersion": f"{triggers.group}/{triggers.version}",
                "kind": "PodSnapshotManualTrigger",
                "metadata": {"name": name, "namespace": self._namespace},
                "spec": {"targetPod": self._pod_name()},
            }
            self._helper.call(kubeapi.create(triggers, self._namespace, body))
            self.created_manual_triggers.append(name)
            uid, made = self._helper.wait_for(triggers, self._namespace, name, timeout, _triggered)
            return SnapshotResponse(True, name, uid, made)
        except SandboxError as error:
            return SnapshotResponse(False, name, error_reason=str(error), error_code=ERROR_CODE)

    def list(self, filter_by: SnapshotFilter | None = None) -> ListSnapshotResult:
        """Lists the snapshots of the sandbox.

        Args:
            filter_by: Which ones. By default those from which a Pod can be restored.
        """
        wanted = filter_by or SnapshotFilter()
        try:
            found = [_detail(one) for one in self._read(wanted.grouping_labels or {})]
        except SandboxError as error:
            return ListSnapshotResult(False, error_reason=str(error), error_code=ERROR_CODE)
        found.sort(key=lambda one: one.creation_timestamp, reverse=True)
        return ListSnapshotResult(True, [one for one in found if one.ready or not wanted.ready_only])

    def delete(self, uid: str, timeout: float = 60) -> DeleteSnapshotResult:
        """Deletes a snapshot, and returns when it is gone.

        Args:
            uid: The name of the PodSnapshot.
            timeout: How long to wait, in seconds.
        """
        return self._delete([uid], timeout)

    def delete_all(
        self,
        delete_by: Literal["all", "labels"] = "all",
        label_value: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> DeleteSnapshotResult:
        """Deletes the snapshots of the sandbox, and returns when they are gone.

        Args:
            delete_by: "all", or "labels" for those that have some labels.
            label_value: These labels.
            timeout: How long to wait for each, in seconds.

        Raises:
            ValueError: delete_by is something else, or the labels are missing.
        """
        if delete_by not in ("all", "labels") or (delete_by == "labels") != bool(label_value):
            raise ValueError("delete_by is 'all', or 'labels' with a label_value")
        found = self.list(SnapshotFilter(ready_only=False, grouping_labels=label_value))
        if not found.success:
            return DeleteSnapshotResult(False, error_reason=found.error_reason, error_code=ERROR_CODE)
        return self._delete([one.snapshot_uid for one in found.snapshots], timeout)

    def delete_manual_triggers(self, max_retries: int = 3) -> None:
        """Deletes the triggers that this handle has made. Those that cannot be deleted stay known.

        Args:
            max_retries: How often each is tried.
        """
        for name in list(self.created_manual_triggers):
            for _ in range(max_retries):
                try:
                    self._remove(self._resource(PODSNAPSHOTMANUALTRIGGER_PLURAL), name)
                except SandboxError:
                    continue
                self.created_manual_triggers.remove(name)
                break

    def _resource(self, plural: str) -> Resource:
        if self._version is None:
            self._version = served_version(self._helper)
        return Resource(PODSNAPSHOT_API_GROUP, self._version, plural)

    def _read(self, labels: Mapping[str, str]) -> builtins.list[dict[str, Any]]:
        name_hash = self._name_hash()
        if name_hash is None:
            raise SandboxNotFoundError(f"the sandbox has no label {SANDBOX_NAME_HASH_LABEL} by which to find snapshots")
        wanted = {SANDBOX_NAME_HASH_LABEL: name_hash, **labels}
        selector = ",".join(f"{key}={value}" for key, value in wanted.items())
        return self._helper.objects(self._resource(PODSNAPSHOT_PLURAL), self._namespace, selector)

    def _remove(self, resource: Resource, name: str) -> None:
        with contextlib.suppress(SandboxNotFoundError):  # it is gone already
            self._helper.call(kubeapi.delete(resource, self._namespace, name))

    def _delete(self, names: builtins.list[str], timeout: float) -> DeleteSnapshotResult:
        deleted: builtins.list[str] = []
        try:
            snapshots = self._resource(PODSNAPSHOT_PLURAL)
            for name in names:
                self._remove(snapshots, name)
                if self._helper.get(snapshots, self._namespace, name) is not None:  # a finalizer holds it
                    self._helper.wait_for(snapshots, self._namespace, name, timeout, _gone)
                deleted.append(name)
        except SandboxError as error:
            return DeleteSnapshotResult(False, deleted, str(error), ERROR_CODE)
        return DeleteSnapshotResult(True, deleted)


def served_version(helper: K8sHelper) -> str:
    """Returns the version of the group that the cluster prefers. Raises if it does not serve both kinds in it."""
    missing = SandboxClusterError(
        f"the cluster does not serve snapshots: {PODSNAPSHOT_API_GROUP} has no {PODSNAPSHOT_PLURAL} and "
        f"{PODSNAPSHOTMANUALTRIGGER_PLURAL}. They need a cluster of GKE with Pod snapshots"
    )
    missing.unsent = True
    try:
        group = helper.call(kubeapi.discovery(PODSNAPSHOT_API_GROUP))
        version = str(group["preferredVersion"]["version"])
        kinds = helper.call(kubeapi.discovery(PODSNAPSHOT_API_GROUP, version))
        names = {str(one["name"]) for one in kinds["resources"]}
    except (SandboxNotFoundError, KeyError, TypeError) as error:
        raise missing from error
    except SandboxClusterError as error:
        raise (missing if error.unserved else error) from error
    if not {PODSNAPSHOT_PLURAL, PODSNAPSHOTMANUALTRIGGER_PLURAL} <= names:
        raise missing
    return version


def _trigger_name(name: str) -> str:
    """Returns a name that Kubernetes takes and nobody else has."""
    safe = re.sub(r"[^a-z0-9-]+", "", name.lower().replace("_", "-"))[:_NAME_LENGTH].strip("-") or "snap"
    return f"{safe}-{datetime.now(timezone.utc):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:8]}"


def _triggered(event: str, trigger: Mapping[str, Any]) -> tuple[str, str | None] | Waiting:
    """Returns the name of the snapshot and its time, once the trigger has one. Raises if there will be none."""
    name = trigger["metadata"]["name"]
    if event == "DELETED":
        raise SandboxNotFoundError(f"the trigger {name} was deleted before there was a snapshot")
    triggered = condition(trigger, "Triggered")
    uid = trigger.get("status", {}).get("snapshotCreated", {}).get("name")
    if triggered.get("status") == "True" and triggered.get("reason") == "Complete" and uid:
        return str(uid), triggered.get("lastTransitionTime")
    message = printable(triggered.get("message") or triggered.get("reason") or "nothing is known about it")
    if triggered.get("status") == "False" and triggered.get("reason") in ("Failed", "Error"):
        raise SandboxError(f"the trigger {name} has failed: {message}")
    return Waiting(message)


def _gone(event: str, snapshot: Mapping[str, Any]) -> bool | Waiting:
    return True if event == "DELETED" else Waiting("it is being deleted")


def _detail(snapshot: Mapping[str, Any]) -> SnapshotDetail:
    metadata = snapshot["metadata"]
    ready = condition(snapshot, "Ready").get("status") == "True"
    made = str(metadata.get("creationTimestamp", ""))
    return SnapshotDetail(str(metadata["name"]), made, ready, dict(metadata.get("labels") or {}))
