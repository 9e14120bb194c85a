# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The handle of a sandbox."""

from agent_sandbox_client.extensions.snapshots import (
    RestoreCheckResult,
    ResumeResponse,
    SandboxWithSnapshotSupport,
    SuspendResponse,
)

__all__ = ["RestoreCheckResult", "ResumeResponse", "SandboxWithSnapshotSupport", "SuspendResponse"]
