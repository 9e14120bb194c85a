# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The handle of a sandbox, for asyncio."""

from agent_sandbox_client import AsyncSandbox

__all__ = ["AsyncSandbox"]
