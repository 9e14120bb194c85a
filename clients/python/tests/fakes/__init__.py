# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Servers that behave as a cluster and a sandbox do, on ports of this machine."""
