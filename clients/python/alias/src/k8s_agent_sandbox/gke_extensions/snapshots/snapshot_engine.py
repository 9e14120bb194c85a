# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of one sandbox."""

from agent_sandbox_client.extensions.snapshot_engine import (
    DeleteSnapshotResult,
    ListSnapshotResult,
    SnapshotDetail,
    SnapshotEngine,
    SnapshotFilter,
    SnapshotResponse,
)

__all__ = [
    "DeleteSnapshotResult",
    "ListSnapshotResult",
    "SnapshotDetail",
    "SnapshotEngine",
    "SnapshotFilter",
    "SnapshotResponse",
]
