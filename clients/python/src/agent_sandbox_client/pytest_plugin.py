# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of pytest: a sandbox for each test.

    def test_something(sandbox):
        assert sandbox.commands.run("echo hello").stdout == "hello\\n"

The options --sandbox-template, --sandbox-pool and --sandbox-namespace say what the sandboxes are. A project that needs
another connection defines the fixture `sandbox_connection_config`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import Sandbox, SandboxClient, SandboxConnectionConfig

_LEFT = 60 * 60  # seconds after which the cluster deletes what a killed run has left


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("sandbox")
    group.addoption("--sandbox-template", help="The SandboxTemplate of the fixture `sandbox`.")
    group.addoption("--sandbox-pool", help="The SandboxWarmPool of the fixture `sandbox`, instead of a template.")
    group.addoption("--sandbox-namespace", default="default", help="The namespace of the fixture `sandbox`.")


@pytest.fixture(scope="session")
def sandbox_connection_config() -> SandboxConnectionConfig | None:
    """The way to the sandboxes: by default a tunnel through the API server."""
    return None


@pytest.fixture(scope="session")
def sandbox_client(
    request: pytest.FixtureRequest, sandbox_connection_config: SandboxConnectionConfig | None
) -> Iterator[SandboxClient]:
    """A client. What it has made is deleted when all tests have ended."""
    with SandboxClient(sandbox_connection_config, namespace=request.config.getoption("--sandbox-namespace")) as client:
        yield client


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, sandbox_client: SandboxClient) -> Iterator[Sandbox]:
    """A sandbox for one test."""
    template = request.config.getoption("--sandbox-template")
    pool = request.config.getoption("--sandbox-pool")
    if (template is None) == (pool is None):
        raise pytest.UsageError("the fixture `sandbox` needs --sandbox-template or --sandbox-pool")
    with sandbox_client.create_sandbox(template, pool=pool, shutdown_after_seconds=_LEFT) as made:
        yield made
