# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Files."""

from agent_sandbox_client._sync.files import Filesystem

__all__ = ["Filesystem"]
