# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The asyncio client. The package _sync is generated from this one: see clients/python/tools/generate.py."""
