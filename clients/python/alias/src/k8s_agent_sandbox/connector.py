# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sends requests to a sandbox."""

from agent_sandbox_client._sync.connector import SandboxConnector
from agent_sandbox_client._sync.strategies import (
    ConnectionStrategy,
    DirectConnectionStrategy,
    GatewayConnectionStrategy,
    InClusterConnectionStrategy,
    LocalTunnelConnectionStrategy,
)

__all__ = [
    "ConnectionStrategy",
    "DirectConnectionStrategy",
    "GatewayConnectionStrategy",
    "InClusterConnectionStrategy",
    "LocalTunnelConnectionStrategy",
    "SandboxConnector",
]
