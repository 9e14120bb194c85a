# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Every public method and function of the client is called by some test. This one runs after all others."""

from __future__ import annotations

from typing import cast

import pytest
from public_methods import PublicMethods, public


def test_every_public_method_is_called(request: pytest.FixtureRequest) -> None:
    plugin = cast(PublicMethods, request.config.pluginmanager.get_plugin("public-methods"))
    assert plugin.uncalled() == []


def test_what_counts_as_public() -> None:
    names = {name.removeprefix("agent_sandbox_client.") for name in public()}
    assert {
        "_sync.sandbox_client.GenericSandboxClient.create_sandbox",
        "_async.sandbox_client.AsyncGenericSandboxClient.create_sandbox",
        "_sync.commands.CommandExecutor.stream",  # a context manager
        "_sync.sandbox.Sandbox.is_active",  # a property
        "pytest_plugin.sandbox",  # a fixture
        "pool.map_sandboxes",
        "exceptions.SandboxRequestError.__init__",
        "_sync.strategies.ConnectionStrategy.reset",
    } <= names
    assert not {name for name in names if name.rpartition(".")[2].startswith("_") and not name.endswith("__")}
    assert "_sync.strategies.ConnectionStrategy.connect" not in names  # it is abstract
    assert "models.ExecutionResult.__init__" not in names  # nobody wrote it
