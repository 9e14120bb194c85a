# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What a claim says and means."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from fakes.objects import condition

from agent_sandbox_client import claims
from agent_sandbox_client.claims import Bound, ClaimRequest, Waiting
from agent_sandbox_client.exceptions import (
    SandboxClaimRejectedError,
    SandboxError,
    SandboxMetadataError,
    SandboxNotReadyError,
    SandboxTemplateNotFoundError,
    SandboxWarmPoolNotFoundError,
)
from agent_sandbox_client.models import Metadata

NOW = datetime(2026, 5, 25, 12, 0, 0, tzinfo=timezone.utc)

SPECS = {
    "a template alone": (ClaimRequest("c", "n", "python"), {"sandboxTemplateRef": {"name": "python"}}),
    "a pool of its own": (ClaimRequest("c", "n", pool="fast"), {"warmPoolRef": {"name": "fast"}}),
    "a pool of the template": (
        ClaimRequest("c", "n", "python", warmpool="fast"),
        {"sandboxTemplateRef": {"name": "python"}, "warmpool": "fast"},
    ),
    "variables need a cold start": (
        ClaimRequest("c", "n", "python", env={"A": "b"}),
        {"sandboxTemplateRef": {"name": "python"}, "warmpool": "none", "env": [{"name": "A", "value": "b"}]},
    ),
    "a time to live": (
        ClaimRequest("c", "n", "python", shutdown_after_seconds=90),
        {
            "sandboxTemplateRef": {"name": "python"},
            "lifecycle": {"shutdownTime": "2026-05-25T12:01:30Z", "shutdownPolicy": "Delete"},
        },
    ),
    "metadata of the Sandbox and the Pod": (
        ClaimRequest(
            "c",
            "n",
            "python",
            sandbox_metadata=Metadata({"a": "b"}),
            pod_metadata=Metadata(annotations={"c": "d"}),
        ),
        {
            "sandboxTemplateRef": {"name": "python"},
            "sandboxMetadata": {"labels": {"a": "b"}, "annotations": {}},
            "podMetadata": {"labels": {}, "annotations": {"c": "d"}},
        },
    ),
}


@pytest.mark.parametrize(("request_", "want"), SPECS.values(), ids=SPECS)
def test_the_spec_of_a_claim(request_: ClaimRequest, want: dict[str, Any]) -> None:
    assert claims.manifest(request_, NOW)["spec"] == want


def test_a_claim_says_when_it_was_asked_for() -> None:
    made = claims.manifest(ClaimRequest("c", "n", "python", labels={"a": "b"}, annotations={"d": "e"}), NOW)
    assert made["metadata"] == {
        "name": "c",
        "namespace": "n",
        "labels": {"a": "b"},
        "annotations": {"agents.x-k8s.io/client-first-requested-at": "2026-05-25T12:00:00Z", "d": "e"},
    }


WRONG_REQUESTS = {
    "neither template nor pool": ClaimRequest("c", "n"),
    "both": ClaimRequest("c", "n", "python", pool="fast"),
    "two pools": ClaimRequest("c", "n", pool="fast", warmpool="other"),
    "a label without a name": ClaimRequest("c", "n", "python", labels={"example.com/": "x"}),
    "a label without a prefix": ClaimRequest("c", "n", "python", labels={"/name": "x"}),
    "a label's prefix in capitals": ClaimRequest("c", "n", "python", labels={"Example.com/name": "x"}),
    "a long label": ClaimRequest("c", "n", "python", labels={"a" * 64: "x"}),
    "a label with a line break": ClaimRequest("c", "n", "python", labels={"a": "b\n"}),
    "a label of the Sandbox": ClaimRequest("c", "n", "python", sandbox_metadata=Metadata({"a b": "c"})),
    "a variable without a name": ClaimRequest("c", "n", "python", env={"": "x"}),
    "a variable with =": ClaimRequest("c", "n", "python", env={"A=B": "x"}),
}


@pytest.mark.parametrize("wrong", WRONG_REQUESTS.values(), ids=WRONG_REQUESTS)
def test_what_no_cluster_accepts_is_refused_at_once(wrong: ClaimRequest) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        claims.validate(wrong)


@pytest.mark.parametrize("labels", [{}, {"a": ""}, {"a": "b.C_d-1"}, {"example.com/A": "b"}, {"a" * 63: "b" * 63}])
def test_labels_that_kubernetes_accepts(labels: dict[str, str]) -> None:
    claims.validate(ClaimRequest("c", "n", "python", labels=labels))


@pytest.mark.parametrize("seconds", [0, -1, True, 1.5, "60", 10**18, None])
def test_a_time_to_live_is_a_positive_int(seconds: Any) -> None:
    with pytest.raises(ValueError, match="seconds"):
        claims.lifecycle(seconds, NOW)


def claim(*conditions: dict[str, Any], sandbox: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"metadata": {"name": "c"}, "status": {"conditions": list(conditions), "sandbox": sandbox or {}}}


STATES: dict[str, tuple[str, dict[str, Any], Bound | Waiting | type[SandboxError]]] = {
    "ready": (
        "ADDED",
        claim(condition("Ready", "True"), sandbox={"name": "warm-1", "uid": "u"}),
        Bound("warm-1", "u"),
    ),
    "ready, of an older operator": ("ADDED", claim(condition("Ready", "True"), sandbox={"Name": "s"}), Bound("s")),
    "ready, but not said which sandbox": ("ADDED", claim(condition("Ready", "True", "Up", "x")), Waiting("Up: x")),
    "new": ("ADDED", {"metadata": {"name": "c"}}, Waiting("the operator has not answered yet")),
    "starting": (
        "MODIFIED",
        claim(condition("Ready", "False", "NotYet", "Pod exists\nwith phase: Pending"), sandbox={"name": "s"}),
        Waiting("NotYet: Pod exists with phase: Pending", "s"),
    ),
    "deleted": ("DELETED", claim(), SandboxMetadataError),
    "no template": ("ADDED", claim(condition("Ready", "False", "TemplateNotFound", "x")), SandboxTemplateNotFoundError),
    "no pool": ("ADDED", claim(condition("Ready", "False", "WarmPoolNotFound", "x")), SandboxWarmPoolNotFoundError),
    "refused": ("ADDED", claim(condition("Ready", "False", "EnvVarsInjectionRejected")), SandboxClaimRejectedError),
    "expired": ("ADDED", claim(condition("Ready", "False", "ClaimExpired", "x")), SandboxNotReadyError),
    "finished": (
        "ADDED",
        claim(condition("Ready", "False", "PodFailed", "exit code 1"), condition("Finished", "True")),
        SandboxNotReadyError,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("event", "seen", "want"), STATES.values(), ids=STATES)
def test_what_the_state_of_a_claim_means(
    event: str, seen: dict[str, Any], want: Bound | Waiting | type[SandboxError]
) -> None:
    if isinstance(want, type):
        with pytest.raises(want, match="claim c"):
            claims.judge(event, seen)
    else:
        assert claims.judge(event, seen) == want


EXTENSIONS = {
    "from its value": ("2026-05-25T13:00:00Z", "2026-05-25T13:01:00Z"),
    "from now, if that has passed": ("2026-05-25T11:00:00Z", "2026-05-25T12:01:00Z"),
}


@pytest.mark.parametrize(("before", "after"), EXTENSIONS.values(), ids=EXTENSIONS)
def test_a_shutdown_time_moves(before: str, after: str) -> None:
    found = {"metadata": {"resourceVersion": "7"}, "spec": {"lifecycle": {"shutdownTime": before}}}
    assert claims.extension(found, 60, NOW) == {
        "metadata": {"resourceVersion": "7"},
        "spec": {"lifecycle": {"shutdownTime": after}},
    }


def test_a_claim_that_stays_has_nothing_to_extend() -> None:
    with pytest.raises(ValueError, match="no shutdown time"):
        claims.extension({"metadata": {"resourceVersion": "7"}, "spec": {}}, 60, NOW)
