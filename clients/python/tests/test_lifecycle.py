# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Suspending, resuming and extending sandboxes."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from fakes.kubernetes import FakeKubernetes

from agent_sandbox_client import (
    SandboxClaimRejectedError,
    SandboxClient,
    SandboxClosedError,
    SandboxNotFoundError,
    SandboxTimeoutError,
)


def test_a_sandbox_is_suspended_and_resumed(client: SandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = client.create_sandbox("python")
    sandbox.suspend()
    spec = cluster.objects[("sandboxes", "default", sandbox.sandbox_id)]["spec"]
    assert spec == {"replicas": 0, "operatingMode": "Suspended"}
    assert sandbox.is_suspended()
    assert sandbox.status()[0] == "SandboxNotReady"
    assert sandbox.get_pod_name() == f"{sandbox.sandbox_id}-pod"
    sandbox.resume()
    assert not sandbox.is_suspended()
    annotations = cluster.objects[("sandboxes", "default", sandbox.sandbox_id)]["metadata"]["annotations"]
    annotations["agents.x-k8s.io/pod-name"] = "next"
    assert sandbox.get_pod_name() == "next"


def test_a_cluster_that_knows_one_field_is_enough_to_suspend(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.strict = {"operatingMode"}
    sandbox = client.create_sandbox("python")
    sandbox.suspend()
    assert cluster.objects[("sandboxes", "default", sandbox.sandbox_id)]["spec"] == {"replicas": 0}
    cluster.strict = {"operatingMode", "replicas"}
    with pytest.raises(SandboxClaimRejectedError, match="unknown field"):
        sandbox.resume()


def test_a_suspension_that_takes_too_long(
    client: SandboxClient, cluster: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = client.create_sandbox("python")
    monkeypatch.setattr(cluster, "react", lambda changed: None)
    with pytest.raises(SandboxTimeoutError, match=r"after 0\.2 s: Pod is Ready"):
        sandbox.suspend(wait_timeout=0.2)


def test_a_sandbox_that_is_gone_says_so(client: SandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = client.create_sandbox("python")
    cluster.remove("sandboxes", "default", sandbox.sandbox_id)
    assert sandbox.status()[0] == "SandboxNotFound"
    cluster.put(
        "sandboxes", {"metadata": {"name": sandbox.sandbox_id, "namespace": "default"}, "spec": {}, "status": {}}
    )
    assert sandbox.status()[0] == "SandboxNotFound"  # another one of that name
    with pytest.raises(SandboxClaimRejectedError, match="Precondition failed"):
        sandbox.suspend()
    with pytest.raises(SandboxNotFoundError, match="was deleted"):
        cluster.remove("sandboxes", "default", sandbox.sandbox_id)
        sandbox.k8s_helper.wait_for_sandbox(sandbox.sandbox_id, "default", 5, lambda event, _: _gone(event))


def _gone(event: str) -> bool:
    if event == "DELETED":
        raise SandboxNotFoundError("it was deleted")
    return False


def test_a_time_to_live_is_extended(client: SandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = client.create_sandbox("python", shutdown_after_seconds=60)
    end = sandbox.extend(3600)
    assert timedelta(seconds=3600) < end - datetime.now(timezone.utc) <= timedelta(seconds=3660)
    with pytest.raises(ValueError, match="no shutdown time"):
        client.create_sandbox("python").extend(60)
    cluster.remove("sandboxclaims", "default", str(sandbox.claim_name))
    with pytest.raises(SandboxNotFoundError, match="does not exist"):
        sandbox.extend(60)
    sandbox.terminate()
    with pytest.raises(SandboxClosedError):
        sandbox.extend(60)
