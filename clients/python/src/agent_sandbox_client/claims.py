# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Claims: what a new one says, and what the state of one means. Nothing here touches the cluster."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from . import constants
from .exceptions import (
    SandboxClaimRejectedError,
    SandboxError,
    SandboxMetadataError,
    SandboxNotReadyError,
    SandboxTemplateNotFoundError,
    SandboxWarmPoolNotFoundError,
)
from .models import Metadata
from .text import printable

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_NAME_LENGTH, _PREFIX_LENGTH = 63, 253


@dataclass(frozen=True)
class ClaimRequest:
    """What a new claim asks for. Exactly one of template and pool is set."""

    name: str
    namespace: str
    template: str | None = None
    warmpool: str | None = None
    pool: str | None = None
    labels: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None
    env: Mapping[str, str] | None = None
    sandbox_metadata: Metadata | None = None
    pod_metadata: Metadata | None = None
    shutdown_after_seconds: int | None = None


@dataclass(frozen=True)
class Bound:
    """The claim has a sandbox that is ready."""

    sandbox: str
    uid: str | None = None


@dataclass(frozen=True)
class Waiting:
    """The claim has no sandbox that is ready, and why."""

    message: str
    sandbox: str | None = None


def new_name() -> str:
    """Returns a name for a claim that nobody else has."""
    return f"sandbox-claim-{uuid.uuid4().hex[:8]}"


def validate(request: ClaimRequest) -> None:
    """Raises ValueError for what no cluster would accept."""
    if (request.template is None) == (request.pool is None):
        raise ValueError("name either a template or a pool")
    if request.pool is not None and request.warmpool is not None:
        raise ValueError("warmpool chooses among the pools of a template: leave it out with pool")
    validate_labels(request.labels or {})
    for metadata in (request.sandbox_metadata, request.pod_metadata):
        if metadata is not None:
            validate_labels(metadata.labels)
    for variable in request.env or {}:
        if not variable or "=" in variable or "\0" in variable:
            raise ValueError(f"{variable!r} is no name of an environment variable")


def validate_labels(labels: Mapping[str, str]) -> None:
    """Raises ValueError for labels that Kubernetes does not accept."""
    for key, value in labels.items():
        prefix, slash, name = key.rpartition("/")
        if slash and not (0 < len(prefix) <= _PREFIX_LENGTH and _PREFIX.fullmatch(prefix)):
            raise ValueError(f"label {key!r}: {prefix!r} is no DNS subdomain of up to {_PREFIX_LENGTH} characters")
        if not _valid_name(name):
            raise ValueError(f"label {key!r}: {name!r} needs 1 to {_NAME_LENGTH} letters, digits, '-', '_' or '.'")
        if value and not _valid_name(value):
            raise ValueError(
                f"label {key!r}: the value {value!r} needs up to {_NAME_LENGTH} letters, digits, '-', '_', '.'"
            )


def _valid_name(name: str) -> bool:
    return len(name) <= _NAME_LENGTH and _NAME.fullmatch(name) is not None


def shutdown_time(seconds: int, now: datetime) -> str:
    """Returns the time after seconds, as the API writes it. Raises ValueError if that is no time."""
    if type(seconds) is not int or seconds <= 0:
        raise ValueError(f"the number of seconds is a positive int, not {seconds!r}")
    try:
        end = now.astimezone(timezone.utc) + timedelta(seconds=seconds)
    except OverflowError as error:
        raise ValueError(f"{seconds} seconds from now is not a date") from error
    return end.strftime("%Y-%m-%dT%H:%M:%SZ")


def lifecycle(seconds: int, now: datetime) -> dict[str, str]:
    """Returns the lifecycle of a claim that is deleted after seconds."""
    return {"shutdownTime": shutdown_time(seconds, now), "shutdownPolicy": "Delete"}


def extension(claim: Mapping[str, Any], seconds: int, now: datetime) -> dict[str, Any]:
    """Returns the patch that moves the shutdown time by seconds: from its value, or from now if that has passed."""
    value = claim.get("spec", {}).get("lifecycle", {}).get("shutdownTime")
    if not value:
        raise ValueError("the claim has no shutdown time: it stays until it is deleted")
    end = datetime.fromisoformat(value.replace("Z", "+00:00"))
    metadata = {"resourceVersion": claim["metadata"]["resourceVersion"]}
    return {"metadata": metadata, "spec": {"lifecycle": {"shutdownTime": shutdown_time(seconds, max(end, now))}}}


def manifest(request: ClaimRequest, now: datetime) -> dict[str, Any]:
    """Returns the claim to create."""
    annotations = {
        constants.FIRST_REQUESTED_ANNOTATION: now.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    }
    annotations.update(request.annotations or {})
    metadata: dict[str, Any] = {"name": request.name, "namespace": request.namespace, "annotations": annotations}
    if request.labels:
        metadata["labels"] = dict(request.labels)
    return {
        "apiVersion": f"{constants.CLAIM_API_GROUP}/{constants.CLAIM_API_VERSION}",
        "kind": "SandboxClaim",
        "metadata": metadata,
        "spec": _spec(request, now),
    }


def _spec(request: ClaimRequest, now: datetime) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    if request.pool is not None:
        spec["warmPoolRef"] = {"name": request.pool}
    else:
        spec["sandboxTemplateRef"] = {"name": request.template}
    if request.warmpool is not None:
        spec["warmpool"] = request.warmpool
    elif request.template is not None and request.env:
        spec["warmpool"] = "none"  # variables need a sandbox of one's own
    if request.shutdown_after_seconds is not None:
        spec["lifecycle"] = lifecycle(request.shutdown_after_seconds, now)
    if request.env:
        spec["env"] = [{"name": name, "value": value} for name, value in request.env.items()]
    for field, metadata in (("sandboxMetadata", request.sandbox_metadata), ("podMetadata", request.pod_metadata)):
        if metadata is not None:
            spec[field] = {"labels": dict(metadata.labels), "annotations": dict(metadata.annotations)}
    return spec


_REJECTIONS: dict[str, type[SandboxError]] = {
    "TemplateNotFound": SandboxTemplateNotFoundError,
    "WarmPoolNotFound": SandboxWarmPoolNotFoundError,
    "InvalidMetadata": SandboxClaimRejectedError,
    "EnvVarsInjectionRejected": SandboxClaimRejectedError,
    "VolumeClaimTemplatesError": SandboxClaimRejectedError,
    "ClaimExpired": SandboxNotReadyError,
    "SandboxExpired": SandboxNotReadyError,
}


def judge(event: str, claim: Mapping[str, Any]) -> Bound | Waiting:
    """Returns what the state of a claim means. Raises the error of one that never gets ready."""
    name = claim.get("metadata", {}).get("name", "")
    if event == "DELETED":
        raise SandboxMetadataError(f"claim {name} was deleted before its sandbox was ready")
    ready, sandbox = condition(claim, "Ready"), sandbox_name(claim)
    if ready.get("status") == "True" and sandbox:
        return Bound(sandbox, claim["status"]["sandbox"].get("uid"))
    reason, message = ready.get("reason", ""), printable(ready.get("message", ""))
    if reason in _REJECTIONS:
        raise _REJECTIONS[reason](f"claim {name}: {message or reason}")
    if condition(claim, "Finished").get("status") == "True":
        raise SandboxNotReadyError(f"claim {name} has finished: {message or reason}")
    return Waiting(f"{reason}: {message}" if reason else "the operator has not answered yet", sandbox)


def sandbox_name(claim: Mapping[str, Any]) -> str | None:
    """Returns the name of the claim's sandbox. Older operators write it with a capital letter."""
    status = claim.get("status", {}).get("sandbox", {})
    return status.get("name") or status.get("Name") or None


def condition(thing: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Returns a condition, empty if it is not there."""
    for one in thing.get("status", {}).get("conditions") or ():
        if one.get("type") == kind:
            return dict(one)
    return {}
