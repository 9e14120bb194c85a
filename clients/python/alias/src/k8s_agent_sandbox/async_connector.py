# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sends requests to a sandbox, for asyncio."""

from agent_sandbox_client._async.connector import AsyncSandboxConnector

__all__ = ["AsyncSandboxConnector"]
