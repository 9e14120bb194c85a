# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Handles with more methods, for sandboxes that serve more than commands and files."""
