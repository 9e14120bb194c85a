# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio."""

from agent_sandbox_client import AsyncSandboxClient

__all__ = ["AsyncSandboxClient"]
