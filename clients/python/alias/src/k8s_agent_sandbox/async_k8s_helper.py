# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The API server, for asyncio."""

from agent_sandbox_client._async.k8s_helper import AsyncK8sHelper

__all__ = ["AsyncK8sHelper"]
