# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The errors."""

from agent_sandbox_client.exceptions import (
    SandboxError,
    SandboxMetadataError,
    SandboxNotFoundError,
    SandboxNotReadyError,
    SandboxPortForwardError,
    SandboxRequestError,
    SandboxTemplateNotFoundError,
)

__all__ = [
    "SandboxError",
    "SandboxMetadataError",
    "SandboxNotFoundError",
    "SandboxNotReadyError",
    "SandboxPortForwardError",
    "SandboxRequestError",
    "SandboxTemplateNotFoundError",
]
