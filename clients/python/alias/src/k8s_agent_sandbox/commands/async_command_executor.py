# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Commands, for asyncio."""

from agent_sandbox_client._async.commands import AsyncCommandExecutor

__all__ = ["AsyncCommandExecutor"]
