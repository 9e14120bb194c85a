# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/strategies.py by tools/generate.py. Do not edit.
"""The ways to a sandbox."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from .. import endpoints
from ..cluster import ClusterAccess
from ..endpoints import Endpoint, Target, TokenSource
from ..exceptions import SandboxError
from ..models import (
    SandboxConnectionConfig,
    SandboxDirectConnectionConfig,
    SandboxGatewayConnectionConfig,
    SandboxInClusterConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
)
from ..tunnel import Finder, Tunnel
from ..tunnel_targets import RouterPod, SandboxPod
from . import _io
from .k8s_helper import K8sHelper

PodIP = Callable[[], "str | None"]


class ConnectionStrategy(ABC):
    """A way to a sandbox."""

    @abstractmethod
    def connect(self, target: Target) -> Endpoint:
        """Returns where requests for a port of the sandbox go."""

    def token(self) -> str | None:
        """Returns the token for the router, or None."""
        return None

    def reset(self) -> None:
        """Forgets what it knows: a request could not be sent."""

    def close(self) -> None:
        """Ends what it has opened."""


class DirectConnectionStrategy(ConnectionStrategy):
    """A router at a URL."""

    def __init__(self, config: SandboxDirectConnectionConfig, tokens: TokenSource) -> None:
        self.config, self._tokens = config, tokens

    def connect(self, target: Target) -> Endpoint:
        return Endpoint(self.config.api_url.rstrip("/"), routed=True)

    def token(self) -> str | None:
        return self._tokens.read()


class GatewayConnectionStrategy(ConnectionStrategy):
    """A router behind a Gateway."""

    def __init__(self, config: SandboxGatewayConnectionConfig, tokens: TokenSource, k8s_helper: K8sHelper) -> None:
        self.config, self._tokens, self._k8s_helper = config, tokens, k8s_helper
        self._url: str | None = None

    def connect(self, target: Target) -> Endpoint:
        if self._url is None:
            self._url = self._k8s_helper.wait_for_gateway_url(self.config)
        return Endpoint(self._url, routed=True)

    def token(self) -> str | None:
        return self._tokens.read()

    def reset(self) -> None:
        self._url = None


class LocalTunnelConnectionStrategy(ConnectionStrategy):
    """Local ports that lead to the sandbox or to a router, through the API server."""

    def __init__(
        self, config: SandboxLocalTunnelConnectionConfig, tokens: TokenSource, k8s_helper: K8sHelper
    ) -> None:
        self.config, self._tokens, self._k8s_helper = config, tokens, k8s_helper
        self._tunnels: dict[int, Tunnel] = {}
        self._lock = _io.Lock()

    def connect(self, target: Target) -> Endpoint:
        access = self._k8s_helper.access()
        namespace = self.config.router_namespace
        key = target.port if namespace is None else 0  # one tunnel to the router serves all ports
        with self._lock:
            if key not in self._tunnels:
                self._tunnels[key] = self._open(access, target)
            return Endpoint(self._tunnels[key].url, routed=namespace is not None)

    def _open(self, access: ClusterAccess, target: Target) -> Tunnel:
        namespace = self.config.router_namespace
        finder: Finder = SandboxPod(access, target)
        if namespace is not None:
            finder = RouterPod(access, namespace)
        return Tunnel(access, finder, self.config.port_forward_ready_timeout)

    def token(self) -> str | None:
        if self.config.router_namespace is None:
            return None
        token = self._tokens.read()
        if token is None:
            token = _io.in_thread((self._k8s_helper.access()).token)
        if token is None:
            raise SandboxError(
                "the router needs a token, and the kubeconfig has a certificate or a password instead: pass token or "
                "token_file, for instance from 'kubectl create token'"
            )
        return token

    def close(self) -> None:
        tunnels, self._tunnels = self._tunnels, {}
        for tunnel in tunnels.values():
            tunnel.close()


class InClusterConnectionStrategy(ConnectionStrategy):
    """The Pod itself."""

    def __init__(self, config: SandboxInClusterConnectionConfig, get_pod_ip: PodIP) -> None:
        self.config, self._get_pod_ip = config, get_pod_ip
        self._pod_ip: str | None = None

    def connect(self, target: Target) -> Endpoint:
        if self.config.use_pod_ip and self._pod_ip is None:
            self._pod_ip = self._get_pod_ip()
        return Endpoint(endpoints.pod_url(self.config.cluster_domain, self._pod_ip, target), routed=False)

    def reset(self) -> None:
        self._pod_ip = None


def strategy_for(
    config: SandboxConnectionConfig,
    k8s_helper: K8sHelper,
    get_pod_ip: PodIP,
    environment: Mapping[str, str],
) -> ConnectionStrategy:
    """Returns the way that a configuration asks for."""
    if isinstance(config, SandboxDirectConnectionConfig):
        return DirectConnectionStrategy(config, TokenSource(config, environment))
    if isinstance(config, SandboxGatewayConnectionConfig):
        return GatewayConnectionStrategy(config, TokenSource(config, environment), k8s_helper)
    if isinstance(config, SandboxLocalTunnelConnectionConfig):
        return LocalTunnelConnectionStrategy(config, TokenSource(config, environment), k8s_helper)
    if isinstance(config, SandboxInClusterConnectionConfig):
        return InClusterConnectionStrategy(config, get_pod_ip)
    raise ValueError(f"unknown connection configuration type: {type(config).__name__}")
