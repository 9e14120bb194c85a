# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Snapshots: where the cluster does not serve them, and where it does, as far as an API server shows."""

from __future__ import annotations

import atexit
import re
from typing import Any

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.objects import Object, condition

from agent_sandbox_client import (
    SandboxClient,
    SandboxClusterError,
    SandboxDirectConnectionConfig,
    SandboxPermissionError,
)
from agent_sandbox_client.extensions.snapshot_engine import SnapshotFilter
from agent_sandbox_client.extensions.snapshots import PodSnapshotSandboxClient, SandboxWithSnapshotSupport

GROUP = "podsnapshot.gke.io"
KINDS = ["podsnapshots", "podsnapshotmanualtriggers"]
HASH = "agents.x-k8s.io/sandbox-name-hash"


@pytest.fixture
def gke(cluster: FakeKubernetes) -> FakeKubernetes:
    """A cluster that serves snapshots: a trigger makes one at once, and the next Pod is restored from the newest."""
    cluster.groups[(GROUP, "v1")] = KINDS
    cluster.operator = operate
    return cluster


def operate(fake: FakeKubernetes, thing: Object) -> None:
    if thing.get("kind") != "PodSnapshotManualTrigger":
        fake.bind(thing)
        return
    number = 1 + len(fake.created("podsnapshots"))
    made = f"2026-05-25T12:00:0{number}Z"
    snapshot(fake, f"snapshot-{number}", made)
    done = {**condition("Triggered", "True", "Complete"), "lastTransitionTime": made}
    status = {"conditions": [done], "snapshotCreated": {"name": f"snapshot-{number}"}}
    fake.put("podsnapshotmanualtriggers", {**thing, "status": status})
    restored = condition("PodRestored", "True", "", f"restored from snapshot-{number}")
    fake.put("pods", {"metadata": {"name": "mine-pod", "namespace": "default"}, "status": {"conditions": [restored]}})


def snapshot(fake: FakeKubernetes, name: str, made: str, ready: str = "True", **labels: str) -> None:
    metadata = {"name": name, "namespace": "default", "creationTimestamp": made, "labels": {HASH: "abc123", **labels}}
    fake.put("podsnapshots", {"metadata": metadata, "status": {"conditions": [condition("Ready", ready)]}}, "ADDED")


@pytest.fixture
def handle(gke: FakeKubernetes, direct: SandboxDirectConnectionConfig) -> Any:
    with PodSnapshotSandboxClient(direct, access=gke.access) as client:
        yield client.create_sandbox("python", name="mine")


UNSERVED: dict[str, dict[tuple[str, str], list[str]]] = {
    "no such group": {},
    "one of the kinds alone": {(GROUP, "v1"): KINDS[:1]},
    "none of the kinds": {(GROUP, "v1"): []},
}


@pytest.mark.parametrize("groups", UNSERVED.values(), ids=UNSERVED)
def test_a_cluster_that_serves_no_snapshots_is_said_at_once(
    cluster: FakeKubernetes, monkeypatch: pytest.MonkeyPatch, groups: dict[tuple[str, str], list[str]]
) -> None:
    cluster.groups = groups
    registered: list[object] = []
    monkeypatch.setattr(atexit, "register", registered.append)
    monkeypatch.setattr(atexit, "unregister", registered.remove)
    with pytest.raises(SandboxClusterError, match=f"does not serve snapshots: {GROUP} has no podsnapshots and"):
        PodSnapshotSandboxClient(cleanup=True, access=cluster.access)
    assert registered == []


def test_other_errors_are_not_taken_for_that(cluster: FakeKubernetes) -> None:
    cluster.forbidden.add(("get", GROUP))
    with pytest.raises(SandboxPermissionError, match=rf"permission to get {GROUP}$"):
        PodSnapshotSandboxClient(access=cluster.access)
    cluster.stop()
    with pytest.raises(SandboxClusterError, match="does not answer"):
        PodSnapshotSandboxClient(access=cluster.access)
    cluster.start()


def test_an_ordinary_handle_suspends_without_snapshots(client: SandboxClient, cluster: FakeKubernetes) -> None:
    client.create_sandbox("python").suspend()
    assert not [call for call in cluster.calls if GROUP in call[1] or "snapshot" in call[1]]


def test_a_suspension_with_a_snapshot_and_the_way_back(handle: SandboxWithSnapshotSupport, gke: FakeKubernetes) -> None:
    suspended = handle.suspend()
    assert (suspended.success, suspended.error_code, handle.is_suspended()) == (True, 0, True)
    made = suspended.snapshot_response
    assert made is not None
    assert (made.success, made.snapshot_uid, made.snapshot_timestamp) == (True, "snapshot-1", "2026-05-25T12:00:01Z")
    trigger = gke.objects[("podsnapshotmanualtriggers", "default", made.trigger_name)]
    assert trigger["spec"] == {"targetPod": "mine-pod"}
    assert trigger["apiVersion"] == f"{GROUP}/v1"
    assert re.fullmatch(r"suspend-mine-\d{8}-\d{6}-[0-9a-f]{8}", made.trigger_name)
    assert handle.suspend() == type(suspended)(True)  # it is suspended already
    gke.objects[("sandboxes", "default", "mine")]["status"].pop("selector")  # as operators that forget it
    resumed = handle.resume()
    assert (resumed.success, resumed.restored_from_snapshot, resumed.snapshot_uid) == (True, True, "snapshot-1")
    handle.terminate()
    assert gke.names("podsnapshotmanualtriggers") == []
    assert gke.names("podsnapshots") == ["snapshot-1"]


def test_a_sandbox_without_a_snapshot_is_started_anew(handle: SandboxWithSnapshotSupport, gke: FakeKubernetes) -> None:
    assert handle.suspend(snapshot_before_suspend=False).snapshot_response is None
    resumed = handle.resume()
    assert (resumed.success, resumed.restored_from_snapshot, resumed.snapshot_uid) == (True, False, None)
    assert gke.names("podsnapshots") == []


def test_a_pod_that_was_not_restored_is_said(handle: SandboxWithSnapshotSupport, gke: FakeKubernetes) -> None:
    handle.suspend()
    snapshot(gke, "newer", "2026-05-25T13:00:00Z")
    resumed = handle.resume()
    assert (resumed.success, resumed.restored_from_snapshot, resumed.error_code) == (False, False, 1)
    assert resumed.error_reason == "Pod default/mine-pod was not restored from newer"
    gke.remove("pods", "default", "mine-pod")
    assert not handle.is_restored_from_snapshot("snapshot-1").success
    gke.forbidden.add(("get", "pods"))
    assert "permission to get pods in namespace" in handle.is_restored_from_snapshot("snapshot-1").error_reason


def test_without_its_snapshot_the_pod_stays(handle: SandboxWithSnapshotSupport, gke: FakeKubernetes) -> None:
    def fail(fake: FakeKubernetes, thing: Object) -> None:
        failed = condition("Triggered", "False", "Failed", "no\x1b[31m room")
        fake.put("podsnapshotmanualtriggers", {**thing, "status": {"conditions": [failed]}})

    gke.operator = fail
    suspended = handle.suspend()
    assert (suspended.success, suspended.error_code, handle.is_suspended()) == (False, 1, False)
    assert re.fullmatch(r"there is no snapshot: the trigger \S+ has failed: no\ufffd\[31m room", suspended.error_reason)
    gke.operator = lambda fake, thing: None
    assert "after 0.2 s" in handle.suspend(wait_timeout=0.2).error_reason
    gke.operator = lambda fake, thing: _ignore(fake.remove(KINDS[1], "default", thing["metadata"]["name"]))
    assert "was deleted before" in handle.suspend().error_reason
    gke.forbidden.add(("create", KINDS[1]))
    assert f"permission to create {KINDS[1]}.{GROUP}" in handle.suspend().error_reason
    gke.forbidden = {("patch", "sandboxes")}
    assert "permission to patch sandboxes" in handle.suspend(False).error_reason
    assert "permission to patch sandboxes" in handle.resume().error_reason
    gke.forbidden = {("list", "podsnapshots")}
    assert "permission to list podsnapshots" in handle.resume().error_reason
    assert not handle.is_suspended()


def _ignore(removed: bool) -> None:
    assert removed


def names(handle: SandboxWithSnapshotSupport, wanted: SnapshotFilter | None = None) -> list[str]:
    return [one.snapshot_uid for one in handle.snapshots.list(wanted).snapshots]


def test_snapshots_are_listed_and_deleted(handle: SandboxWithSnapshotSupport, gke: FakeKubernetes) -> None:
    for number, ready in enumerate(["True", "False", "True", "True"]):
        snapshot(gke, f"s{number}", f"2026-05-25T12:00:0{number}Z", ready, parity="odd" if number % 2 else "even")
    snapshot(gke, "other", "2026-05-25T12:00:00Z", **{HASH: "of-another-sandbox"})
    assert names(handle) == ["s3", "s2", "s0"]
    assert names(handle, SnapshotFilter(ready_only=False)) == ["s3", "s2", "s1", "s0"]
    assert names(handle, SnapshotFilter(grouping_labels={"parity": "odd"})) == ["s3"]
    assert handle.snapshots.delete("s3").deleted_snapshots == ["s3"]
    assert handle.snapshots.delete("s3").success  # it is gone already
    assert handle.snapshots.delete_all("labels", {"parity": "even"}).deleted_snapshots == ["s2", "s0"]
    assert handle.snapshots.delete_all().deleted_snapshots == ["s1"]
    assert gke.names("podsnapshots") == ["other"]
    for wrong in (("labels", None), ("all", {"a": "b"}), ("some", None)):
        with pytest.raises(ValueError, match="delete_by"):
            handle.snapshots.delete_all(*wrong)  # type: ignore[arg-type]


def test_a_snapshot_that_stays_is_waited_for(
    handle: SandboxWithSnapshotSupport, gke: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot(gke, "held", "2026-05-25T12:00:00Z")
    monkeypatch.setattr(gke, "remove", lambda plural, *_: plural == "podsnapshots")
    result = handle.snapshots.delete("held", timeout=0.2)
    assert (result.success, result.deleted_snapshots) == (False, [])
    assert "after 0.2 s: it is being deleted" in result.error_reason
    gke.forbidden = {("list", "podsnapshots")}
    assert "permission to list" in handle.snapshots.delete_all().error_reason
    monkeypatch.undo()


def test_a_sandbox_whose_label_is_not_known_lists_nothing(
    handle: SandboxWithSnapshotSupport, gke: FakeKubernetes
) -> None:
    gke.objects[("sandboxes", "default", "mine")]["status"].pop("selector")
    assert HASH in handle.snapshots.list().error_reason


@pytest.mark.parametrize(
    ("given", "want"), [("My_Trigger!", "my-trigger"), ("", "snap"), ("-", "snap"), ("x" * 60, "x" * 38)]
)
def test_names_of_triggers(handle: SandboxWithSnapshotSupport, given: str, want: str) -> None:
    name = handle.snapshots.create(given).trigger_name
    assert (name.startswith(f"{want}-2"), len(name) <= 63) == (True, True)


def test_triggers_that_cannot_be_deleted_do_not_keep_the_sandbox(
    handle: SandboxWithSnapshotSupport, gke: FakeKubernetes
) -> None:
    handle.snapshots.create("a")
    gke.failing += [("delete", KINDS[1], 409)] * 2
    handle.snapshots.delete_manual_triggers()
    assert (handle.snapshots.created_manual_triggers, gke.names(KINDS[1])) == ([], [])
    handle.snapshots.create("b")
    gke.forbidden.add(("delete", KINDS[1]))
    handle.terminate()
    assert len(handle.snapshots.created_manual_triggers) == 1
    assert gke.names("sandboxclaims") == []
