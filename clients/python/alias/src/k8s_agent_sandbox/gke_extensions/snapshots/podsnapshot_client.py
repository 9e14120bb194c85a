# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client."""

from agent_sandbox_client.extensions.snapshots import PodSnapshotSandboxClient

__all__ = ["PodSnapshotSandboxClient"]
