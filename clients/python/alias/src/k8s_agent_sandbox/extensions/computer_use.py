# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sandboxes in which an agent takes requests in natural language."""

from agent_sandbox_client.extensions.computer_use import ComputerUseSandboxClient, SandboxWithComputerUseSupport

__all__ = ["ComputerUseSandboxClient", "SandboxWithComputerUseSupport"]
