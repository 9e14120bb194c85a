# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sandboxes: what the state of one means, and how to change it. Nothing here touches the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import constants
from .claims import condition
from .exceptions import SandboxNotFoundError, SandboxNotReadyError
from .text import printable

SUSPEND = {"replicas": 0, "operatingMode": "Suspended"}
RESUME = {"replicas": 1, "operatingMode": "Running"}


def status(sandbox: Mapping[str, Any] | None) -> tuple[str, str]:
    """Returns SandboxReady, SandboxNotReady or SandboxNotFound, and the message of the condition."""
    if sandbox is None:
        return "SandboxNotFound", "the sandbox does not exist"
    ready = condition(sandbox, "Ready")
    name = "SandboxReady" if ready.get("status") == "True" else "SandboxNotReady"
    return name, printable(ready.get("message", "the operator has not answered yet"))


def pod_name(sandbox: Mapping[str, Any] | None, default: str) -> str:
    """Returns the name of the Pod."""
    annotations = (sandbox or {}).get("metadata", {}).get("annotations") or {}
    return str(annotations.get(constants.POD_NAME_ANNOTATION) or default)


def pod_ip(sandbox: Mapping[str, Any] | None) -> str | None:
    """Returns the first address of the Pod, or None."""
    addresses = (sandbox or {}).get("status", {}).get("podIPs") or []
    return str(addresses[0]) if addresses else None


def name_hash(sandbox: Mapping[str, Any] | None) -> str | None:
    """Returns the value of the label that all Pods of the sandbox have, or None."""
    selector = (sandbox or {}).get("status", {}).get("selector") or ""
    key, _, value = str(selector).partition("=")
    return value if key == constants.SANDBOX_NAME_HASH_LABEL and value and "," not in value else None


def suspension_requested(sandbox: Mapping[str, Any]) -> bool:
    """Returns whether the spec says that there is no Pod."""
    spec = sandbox.get("spec", {})
    return bool(spec.get("replicas", 1) == 0 or spec.get("operatingMode") == "Suspended")


def suspended(event: str, sandbox: Mapping[str, Any]) -> bool:
    """Returns whether the Pod is gone."""
    _exists(event, sandbox)
    return condition(sandbox, "Suspended").get("status") == "True"


def ready(event: str, sandbox: Mapping[str, Any]) -> bool:
    """Returns whether the sandbox can be used."""
    _exists(event, sandbox)
    if condition(sandbox, "Finished").get("status") == "True":
        raise SandboxNotReadyError(f"sandbox {sandbox['metadata']['name']} has finished: {status(sandbox)[1]}")
    return not suspension_requested(sandbox) and condition(sandbox, "Ready").get("status") == "True"


def _exists(event: str, sandbox: Mapping[str, Any]) -> None:
    if event == "DELETED":
        raise SandboxNotFoundError(f"sandbox {sandbox['metadata']['name']} was deleted")


def unknown_fields(spec: Mapping[str, Any], message: str) -> set[str]:
    """Returns those fields of a patch of the spec that, by the API server's refusal, its schema lacks."""
    return {field for field in spec if f'unknown field "spec.{field}"' in message}
