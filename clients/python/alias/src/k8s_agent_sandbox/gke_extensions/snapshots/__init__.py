# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of Pods."""

from agent_sandbox_client.extensions.snapshots import PodSnapshotSandboxClient, SandboxWithSnapshotSupport

__all__ = ["PodSnapshotSandboxClient", "SandboxWithSnapshotSupport"]
