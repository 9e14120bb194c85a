# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The version of this distribution. A release replaces it with its own."""

__version__ = "0.0.0.dev0"
