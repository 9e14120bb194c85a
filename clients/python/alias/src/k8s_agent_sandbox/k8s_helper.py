# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The API server."""

from agent_sandbox_client._sync.k8s_helper import K8sHelper

__all__ = ["K8sHelper"]
