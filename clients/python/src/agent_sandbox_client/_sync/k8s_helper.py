# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/k8s_helper.py by tools/generate.py. Do not edit.
"""Claims, Sandboxes, and what leads to them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any

from .. import claims, constants, endpoints, kubeapi, sandboxes
from ..claims import Bound, ClaimRequest, Waiting
from ..exceptions import SandboxClusterError, SandboxError, SandboxNotFoundError, SandboxTimeoutError
from ..kubeapi import CLAIMS, ENDPOINT_SLICES, GATEWAYS, SANDBOXES
from ..models import SandboxGatewayConnectionConfig
from . import _io
from .api import ApiServer


class K8sHelper(ApiServer):
    """Reads and writes the objects that the client needs. It connects when it is first used."""

    def create_sandbox_claim(
        self,
        name: str,
        template: str,
        namespace: str,
        annotations: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
        lifecycle: Mapping[str, Any] | None = None,
        warmpool: str | None = None,
    ) -> None:
        """Creates a claim of a template. `lifecycle` is that of its spec."""
        request = ClaimRequest(name, namespace, template, warmpool, labels=labels, annotations=annotations)
        body = claims.manifest(request, datetime.now(timezone.utc))
        if lifecycle is not None:
            body["spec"]["lifecycle"] = dict(lifecycle)
        self.create_claim(body)

    def create_claim(self, body: dict[str, Any]) -> None:
        """Creates a claim. If the answer is lost, it asks whether the claim exists."""
        metadata = body["metadata"]
        try:
            self.call(kubeapi.create(CLAIMS, metadata["namespace"], body))
        except SandboxClusterError as error:
            if error.unsent:
                raise
            found = self.get_sandbox_claim(metadata["name"], metadata["namespace"])
            if found is None or _mark(found) != _mark(body):
                raise

    def undo_claim(self, body: dict[str, Any]) -> None:
        """Deletes the claim that was made of body, and no other one of its name."""
        name, namespace = body["metadata"]["name"], body["metadata"]["namespace"]
        found = self.get_sandbox_claim(name, namespace)
        if found is not None and _mark(found) == _mark(body):
            self.delete_sandbox_claim(name, namespace)

    def wait_for_claim_ready(self, name: str, namespace: str, timeout: float) -> Bound:
        """Waits until a claim has a sandbox that is ready."""
        return self.wait_for(CLAIMS, namespace, name, timeout, claims.judge)

    def resolve_sandbox_name(self, claim_name: str, namespace: str, timeout: float) -> str:
        """Waits until a claim has a Sandbox, which may not be ready yet, and returns its name."""

        def judge(event: str, claim: dict[str, Any]) -> str | Waiting:
            state = claims.judge(event, claim)
            return state.sandbox or Waiting("the claim has no sandbox")

        return self.wait_for(CLAIMS, namespace, claim_name, timeout, judge)

    def wait_for_sandbox_ready(self, name: str, namespace: str, timeout: float) -> str | None:
        """Waits until a Sandbox is ready, and returns the address of its Pod if it is known."""
        return sandboxes.pod_ip(self.wait_for_sandbox(name, namespace, timeout, sandboxes.ready))

    def wait_for_sandbox(
        self, name: str, namespace: str, timeout: float, reached: Callable[[str, dict[str, Any]], bool]
    ) -> dict[str, Any]:
        """Waits until a Sandbox has reached a state."""

        def judge(event: str, sandbox: dict[str, Any]) -> dict[str, Any] | Waiting:
            return sandbox if reached(event, sandbox) else Waiting(sandboxes.status(sandbox)[1])

        return self.wait_for(SANDBOXES, namespace, name, timeout, judge)

    def get_sandbox(self, name: str, namespace: str) -> dict[str, Any] | None:
        """Returns a Sandbox, or None."""
        return self.get(SANDBOXES, namespace, name)

    def get_sandbox_claim(self, name: str, namespace: str) -> dict[str, Any] | None:
        """Returns a claim, or None."""
        return self.get(CLAIMS, namespace, name)

    def list_sandbox_claims(self, namespace: str, label_selector: str | None = None) -> list[str]:
        """Returns the names of the claims."""
        return [str(one["metadata"]["name"]) for one in self.objects(CLAIMS, namespace, label_selector)]

    def delete_sandbox_claim(self, name: str, namespace: str) -> None:
        """Deletes a claim. One that does not exist is deleted already."""
        with contextlib.suppress(SandboxNotFoundError):
            self.call(kubeapi.delete(CLAIMS, namespace, name))

    def patch_claim(self, name: str, namespace: str, body: dict[str, Any]) -> dict[str, Any]:
        """Changes a claim and returns it."""
        return dict(self.call(kubeapi.patch(CLAIMS, namespace, name, body)))

    def patch_sandbox_spec(self, name: str, namespace: str, uid: str | None, spec: dict[str, Any]) -> None:
        """Changes the spec of a Sandbox. Fields that the cluster does not know are left out, but not all of them."""
        while True:
            body = {"metadata": {"uid": uid} if uid else {}, "spec": spec}
            try:
                self.call(kubeapi.patch(SANDBOXES, namespace, name, body))
                return
            except SandboxError as error:
                unknown = sandboxes.unknown_fields(spec, str(error))
                if not unknown or len(unknown) == len(spec):
                    raise
                spec = {field: value for field, value in spec.items() if field not in unknown}

    def ready_pods(self, service: str, namespace: str) -> list[tuple[str, int]]:
        """Returns the ready Pods of a Service and the port of each."""
        slices = self.objects(ENDPOINT_SLICES, namespace, f"kubernetes.io/service-name={service}")
        return kubeapi.ready_pods(slices)

    def wait_for_gateway_url(self, config: SandboxGatewayConnectionConfig) -> str:
        """Waits until a Gateway has an address, and returns its URL. The permission to get it is enough."""

        def url(gateway: dict[str, Any]) -> str | None:
            return endpoints.gateway_url(gateway, config.scheme)

        return self._gateway(config.gateway_name, config.gateway_namespace, config.gateway_ready_timeout, url)

    def wait_for_gateway_ip(self, gateway_name: str, namespace: str, timeout: float) -> str:
        """Waits until a Gateway has an address, and returns it."""
        return self._gateway(gateway_name, namespace, timeout, endpoints.gateway_address)

    def _gateway(
        self, name: str, namespace: str, timeout: float, read: Callable[[dict[str, Any]], str | None]
    ) -> str:
        deadline = time.monotonic() + timeout
        while True:
            gateway = self.get(GATEWAYS, namespace, name)
            if gateway is None:
                raise SandboxNotFoundError(f"Gateway {namespace}/{name} does not exist")
            found = read(gateway)
            if found is not None:
                return found
            if time.monotonic() + 1 > deadline:
                raise SandboxTimeoutError(f"Gateway {namespace}/{name} has no address after {timeout:g} s")
            _io.sleep(1)


def _mark(claim: dict[str, Any]) -> str | None:
    return (claim["metadata"].get("annotations") or {}).get(constants.FIRST_REQUESTED_ANNOTATION)
