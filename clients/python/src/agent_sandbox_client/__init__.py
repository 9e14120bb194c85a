# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sandboxes on Kubernetes, for Python programs.

    from agent_sandbox_client import SandboxClient

    with SandboxClient() as client:
        sandbox = client.create_sandbox("python")
        print(sandbox.commands.run("python3 -c 'print(6 * 7)'").stdout)
"""

from ._async.sandbox import AsyncSandbox
from ._async.sandbox_client import AsyncGenericSandboxClient, AsyncSandboxClient
from ._sync.sandbox import Sandbox
from ._sync.sandbox_client import GenericSandboxClient, SandboxClient
from ._version import __version__
from .exceptions import (
    SandboxClaimRejectedError,
    SandboxClosedError,
    SandboxClusterError,
    SandboxCommandTimeoutError,
    SandboxError,
    SandboxMetadataError,
    SandboxNotFoundError,
    SandboxNotReadyError,
    SandboxPermissionError,
    SandboxPortForwardError,
    SandboxRequestError,
    SandboxResponseTooLargeError,
    SandboxTemplateNotFoundError,
    SandboxTimeoutError,
    SandboxWarmPoolNotFoundError,
)
from .models import (
    ExecutionResult,
    FileEntry,
    Metadata,
    OutputChunk,
    SandboxConnectionConfig,
    SandboxDirectConnectionConfig,
    SandboxGatewayConnectionConfig,
    SandboxInClusterConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
    SandboxTracerConfig,
)

__all__ = [
    "AsyncGenericSandboxClient",
    "AsyncSandbox",
    "AsyncSandboxClient",
    "ExecutionResult",
    "FileEntry",
    "GenericSandboxClient",
    "Metadata",
    "OutputChunk",
    "Sandbox",
    "SandboxClaimRejectedError",
    "SandboxClient",
    "SandboxClosedError",
    "SandboxClusterError",
    "SandboxCommandTimeoutError",
    "SandboxConnectionConfig",
    "SandboxDirectConnectionConfig",
    "SandboxError",
    "SandboxGatewayConnectionConfig",
    "SandboxInClusterConnectionConfig",
    "SandboxLocalTunnelConnectionConfig",
    "SandboxMetadataError",
    "SandboxNotFoundError",
    "SandboxNotReadyError",
    "SandboxPermissionError",
    "SandboxPortForwardError",
    "SandboxRequestError",
    "SandboxResponseTooLargeError",
    "SandboxTemplateNotFoundError",
    "SandboxTimeoutError",
    "SandboxTracerConfig",
    "SandboxWarmPoolNotFoundError",
    "__version__",
]
