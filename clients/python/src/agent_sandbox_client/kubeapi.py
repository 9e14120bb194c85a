# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Requests to the API server, and what its answers mean. Nothing here touches the cluster."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import constants
from .exceptions import (
    SandboxClaimRejectedError,
    SandboxClusterError,
    SandboxError,
    SandboxNotFoundError,
    SandboxPermissionError,
)
from .text import printable


@dataclass(frozen=True)
class Resource:
    """A kind of objects."""

    group: str
    version: str
    plural: str


CLAIMS = Resource(constants.CLAIM_API_GROUP, constants.CLAIM_API_VERSION, constants.CLAIM_PLURAL_NAME)
SANDBOXES = Resource(constants.SANDBOX_API_GROUP, constants.SANDBOX_API_VERSION, constants.SANDBOX_PLURAL_NAME)
GATEWAYS = Resource(constants.GATEWAY_API_GROUP, constants.GATEWAY_API_VERSION, constants.GATEWAY_PLURAL)
ENDPOINT_SLICES = Resource("discovery.k8s.io", "v1", "endpointslices")


@dataclass(frozen=True)
class Call:
    """A request to the API server.

    Attributes:
        verb: The verb of Kubernetes that it needs.
    """

    verb: str
    method: str
    resource: Resource
    namespace: str
    name: str = ""
    body: Any = None
    params: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    @property
    def path(self) -> str:
        """The path of the URL."""
        group = f"/apis/{self.resource.group}" if self.resource.group else "/api"
        parts = [group, self.resource.version]
        if self.resource.plural:
            parts += ["namespaces", self.namespace, self.resource.plural, self.name]
        return "/".join(part for part in parts if part)

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent twice."""
        return self.verb != "create"


def discovery(group: str, version: str = "") -> Call:
    """Returns the request for the versions of a group, or for the kinds of a version."""
    return Call("get", "GET", Resource(group, version, ""), "")


def get(resource: Resource, namespace: str, name: str) -> Call:
    """Returns the request that reads one object."""
    return Call("get", "GET", resource, namespace, name)


def list_of(resource: Resource, namespace: str, selector: str | None = None, after: str | None = None) -> Call:
    """Returns the request that lists objects, a part after the other."""
    params = {"limit": "500"}
    if selector:
        params["labelSelector"] = selector
    if after:
        params["continue"] = after
    return Call("list", "GET", resource, namespace, params=params)


def watch(resource: Resource, namespace: str, name: str, seconds: float) -> Call:
    """Returns the request that follows one object, beginning with its state."""
    params = {
        "watch": "true",
        "fieldSelector": f"metadata.name={name}",
        "timeoutSeconds": str(max(1, int(seconds))),
    }
    return Call("watch", "GET", resource, namespace, params=params)


def create(resource: Resource, namespace: str, body: Any) -> Call:
    """Returns the request that creates an object. A field that the cluster does not know is an error."""
    return Call("create", "POST", resource, namespace, body=body, params={"fieldValidation": "Strict"})


def patch(resource: Resource, namespace: str, name: str, body: Any) -> Call:
    """Returns the request that merges body into an object."""
    kind = "application/merge-patch+json"
    return Call("patch", "PATCH", resource, namespace, name, body, {"fieldValidation": "Strict"}, kind)


def delete(resource: Resource, namespace: str, name: str) -> Call:
    """Returns the request that deletes an object."""
    return Call("delete", "DELETE", resource, namespace, name)


def failure(call: Call, status: int, body: bytes) -> SandboxError:
    """Returns the error for an answer that is no success."""
    message = status_message(body) or f"the API server answers {status}"
    what = f"{call.resource.plural}.{call.resource.group}".strip(".")
    if status in (401, 403):
        where = f" in namespace {call.namespace}" if call.namespace else ""
        cure = f"the program needs the permission to {call.verb} {what}{where}"
        return SandboxPermissionError(
            f"{message}: {cure}" if status == 403 else f"the credentials are refused: {message}"
        )
    if status == 404 and (_not_served(body) or call.verb in ("list", "watch")):
        error = SandboxClusterError(f"the cluster does not serve {what}: {_cure(call.resource)}")
        error.unsent = error.unserved = True
        return error
    if status == 404:
        return SandboxNotFoundError(message)
    if status in (400, 409, 422):
        return SandboxClaimRejectedError(message)
    return SandboxClusterError(f"{call.verb} {what} {call.name}: {message}")


def _cure(resource: Resource) -> str:
    if resource.group in (constants.CLAIM_API_GROUP, constants.SANDBOX_API_GROUP):
        return "install the operator with its extensions"
    return "install what serves it"


def _not_served(body: bytes) -> bool:
    return b"page not found" in body or b"the server could not find the requested resource" in body


def status_message(body: bytes) -> str:
    """Returns the message of a Status object, or the text itself."""
    try:
        message = json.loads(body)["message"]
    except (ValueError, KeyError, TypeError):
        message = body.decode(errors="replace")
    return printable(message)


def event(line: str) -> tuple[str, dict[str, Any]] | None:
    """Returns the type and the object of a line of a watch. None if the watch has to be started again."""
    try:
        parsed = json.loads(line)
        kind, thing = str(parsed["type"]), dict(parsed["object"])
    except (ValueError, KeyError, TypeError):
        return None  # the line broke off
    return None if kind == "ERROR" else (kind, thing)


def ready_pods(slices: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Returns the names of the ready Pods of a Service, and the port of each."""
    found = []
    for one in slices:
        ports = one.get("ports") or []
        named = [port for port in ports if port.get("name") == "http"] or ports[:1]
        for endpoint in one.get("endpoints") or []:
            target = endpoint.get("targetRef") or {}
            if named and target.get("kind") == "Pod" and endpoint.get("conditions", {}).get("ready") is not False:
                found.append((str(target["name"]), int(named[0]["port"])))
    return found
