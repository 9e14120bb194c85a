# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Which Pod a tunnel leads to."""

from __future__ import annotations

import random

from . import sandboxes
from ._sync.k8s_helper import K8sHelper
from .cluster import ClusterAccess
from .constants import ROUTER_SERVICE
from .endpoints import Target
from .exceptions import SandboxNotFoundError, SandboxNotReadyError
from .tunnel import PodPort


class SandboxPod:
    """Finds the Pod of a sandbox."""

    def __init__(self, access: ClusterAccess, target: Target) -> None:
        self._helper, self._target = K8sHelper(access), target

    def find(self) -> PodPort:
        """Returns the Pod that the sandbox has now."""
        target = self._target
        sandbox = self._helper.get_sandbox(target.sandbox, target.namespace)
        name = f"sandbox {target.namespace}/{target.sandbox}"
        if sandbox is None or target.uid not in (None, sandbox["metadata"]["uid"]):
            raise SandboxNotFoundError(f"{name} does not exist any more")
        if sandboxes.suspension_requested(sandbox):
            raise SandboxNotReadyError(f"{name} is suspended: resume it first")
        return PodPort(target.namespace, sandboxes.pod_name(sandbox, target.sandbox), target.port)

    def close(self) -> None:
        """Ends the connections."""
        self._helper.close()


class RouterPod:
    """Finds a Pod of a router."""

    def __init__(self, access: ClusterAccess, namespace: str) -> None:
        self._helper, self._namespace = K8sHelper(access), namespace

    def find(self) -> PodPort:
        """Returns one of the Pods that are ready."""
        pods = self._helper.ready_pods(ROUTER_SERVICE, self._namespace)
        if not pods:
            raise ConnectionError(f"Service {ROUTER_SERVICE} in namespace {self._namespace} has no ready Pod")
        pod, port = random.choice(pods)
        return PodPort(self._namespace, pod, port)

    def close(self) -> None:
        """Ends the connections."""
        self._helper.close()
