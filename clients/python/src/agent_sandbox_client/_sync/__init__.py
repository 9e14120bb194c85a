# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client without asyncio. All but _io.py is generated from the package _async."""
