# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What callers pass in and get back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .constants import RUNTIME_PORT


@dataclass(frozen=True)
class ExecutionResult:
    """What a command wrote, and how it ended.

    Attributes:
        stdout: The standard output. U+FFFD replaces bytes that are not UTF-8.
        stderr: The standard error, likewise.
        exit_code: The exit code; 128 and the number of the signal that ended the command; 1 if it did not start, 137 if
            it wrote more than the runtime permits.
        truncated: Whether stdout or stderr lacks its end, because it was larger than the limit of the caller.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int = -1
    truncated: bool = False


@dataclass(frozen=True)
class FileEntry:
    """An entry of a directory.

    Attributes:
        name: The name, without its directory.
        size: The size in bytes.
        type: "file" or "directory". A symbolic link counts as what it leads to.
        mod_time: When it was changed, in seconds since 1970.
    """

    name: str
    size: int
    type: Literal["file", "directory"]
    mod_time: float


@dataclass(frozen=True)
class OutputChunk:
    """A part of the output of a command, as it came."""

    stream: Literal["stdout", "stderr"]
    data: bytes


@dataclass(frozen=True)
class Metadata:
    """Labels and annotations."""

    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RouterAccess:
    """How the router is asked.

    Attributes:
        server_port: The port in the sandbox that serves commands and files.
        token: The token that the router gets. Without token and token_file, the environment variables
            SANDBOX_ROUTER_TOKEN and SANDBOX_ROUTER_TOKEN_FILE count.
        token_file: A file with the token, which is read for each request, as a projected ServiceAccount token needs it.
        ca_file: The certificates that the router's one must come from, instead of those of the system.
    """

    server_port: int = field(default=RUNTIME_PORT, kw_only=True)
    token: str | None = field(default=None, repr=False, kw_only=True)
    token_file: str | None = field(default=None, kw_only=True)
    ca_file: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class SandboxDirectConnectionConfig(RouterAccess):
    """Requests go to a router at a URL.

    Attributes:
        api_url: The URL of the router, as "https://sandboxes.example.com".
    """

    api_url: str


@dataclass(frozen=True)
class SandboxGatewayConnectionConfig(RouterAccess):
    """Requests go to a router behind a Gateway, whose address is read from the cluster.

    Attributes:
        gateway_name: The name of the Gateway.
        gateway_namespace: Its namespace.
        gateway_ready_timeout: How long to wait for its address, in seconds.
        scheme: "http" or "https".
    """

    gateway_name: str
    gateway_namespace: str = "default"
    gateway_ready_timeout: float = 180
    scheme: Literal["http", "https"] = "http"


@dataclass(frozen=True)
class SandboxLocalTunnelConnectionConfig(RouterAccess):
    """Requests go through the API server, as with `kubectl port-forward`: for programs outside of the cluster.

    Attributes:
        port_forward_ready_timeout: How long to connect to the Pod, in seconds.
        router_namespace: The namespace of a router. Without it, the tunnel leads to the Pod of the sandbox: that
        needs no
            router. The router gets the token of the kubeconfig unless there is another one.
    """

    port_forward_ready_timeout: float = 30
    router_namespace: str | None = None


@dataclass(frozen=True)
class SandboxInClusterConnectionConfig:
    """Requests go straight to the Pod, from a Pod that its NetworkPolicy admits.

    Attributes:
        server_port: The port in the sandbox that serves commands and files.
        use_pod_ip: Whether to use the address of the Pod. Otherwise, and while it has none, the sandbox needs a
        Service.
        cluster_domain: The DNS domain of the cluster.
    """

    server_port: int = RUNTIME_PORT
    use_pod_ip: bool = True
    cluster_domain: str = "cluster.local"


SandboxConnectionConfig = (
    SandboxDirectConnectionConfig
    | SandboxGatewayConnectionConfig
    | SandboxLocalTunnelConnectionConfig
    | SandboxInClusterConnectionConfig
)


@dataclass(frozen=True)
class SandboxTracerConfig:
    """Tracing with OpenTelemetry, which needs the extra "tracing".

    Spans go to the global provider of the program. They belong to its current span; where it has none, to the span
    `lifecycle`, which lasts from the creation of a handle until it is closed. The claim and the requests to the sandbox
    carry the trace context, so that the operator, a router and the runtime continue the trace.

    Attributes:
        enable_tracing: Whether spans are made.
        trace_service_name: The first part of their names.
    """

    enable_tracing: bool = False
    trace_service_name: str = "sandbox-client"
