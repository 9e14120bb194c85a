# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Files, for asyncio."""

from agent_sandbox_client._async.files import AsyncFilesystem

__all__ = ["AsyncFilesystem"]
