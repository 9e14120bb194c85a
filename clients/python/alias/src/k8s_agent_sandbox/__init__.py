# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The names of agent_sandbox_client under the names that programs for another client import.

The guide of agent-sandbox-client has a table of what differs.
"""

from agent_sandbox_client import AsyncSandboxClient, SandboxClient, __version__

__all__ = ["AsyncSandboxClient", "SandboxClient", "__version__"]
