# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What callers pass in and get back."""

from agent_sandbox_client.models import (
    ExecutionResult,
    FileEntry,
    SandboxConnectionConfig,
    SandboxDirectConnectionConfig,
    SandboxGatewayConnectionConfig,
    SandboxInClusterConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
    SandboxTracerConfig,
)

__all__ = [
    "ExecutionResult",
    "FileEntry",
    "SandboxConnectionConfig",
    "SandboxDirectConnectionConfig",
    "SandboxGatewayConnectionConfig",
    "SandboxInClusterConnectionConfig",
    "SandboxLocalTunnelConnectionConfig",
    "SandboxTracerConfig",
]
