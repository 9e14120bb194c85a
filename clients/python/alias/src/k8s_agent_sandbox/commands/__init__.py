# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Commands."""

from agent_sandbox_client._sync.commands import CommandExecutor

__all__ = ["CommandExecutor"]
