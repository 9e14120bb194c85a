# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client."""

from agent_sandbox_client import SandboxClient

__all__ = ["SandboxClient"]
