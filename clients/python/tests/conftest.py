# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What tests share: a cluster, a sandbox, and clients of them."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fakes import certificates
from fakes.kubernetes import FakeKubernetes
from fakes.runtime import FakeRuntime
from public_methods import PublicMethods

from agent_sandbox_client import AsyncSandboxClient, SandboxClient, SandboxDirectConnectionConfig
from agent_sandbox_client.cluster import ClusterAccess


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(PublicMethods(), "public-methods")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
        "SANDBOX_ROUTER_TOKEN",
        "SANDBOX_ROUTER_TOKEN_FILE",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_sandbox_client.retries._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("agent_sandbox_client.retries._LONGEST_PAUSE", 0.02)
    monkeypatch.setattr("agent_sandbox_client.tunnel._RETRY_AFTER", 0)


@pytest.fixture
def cluster() -> Iterator[FakeKubernetes]:
    fake = FakeKubernetes()
    yield fake
    fake.cut()
    fake.stop()


@pytest.fixture
def cluster_access(cluster: FakeKubernetes) -> ClusterAccess:
    return cluster.access


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificates.make(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def other_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificates.make(tmp_path_factory.mktemp("other"))


@pytest.fixture
def serving(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[FakeRuntime]:
    root = tmp_path / "sandbox"
    root.mkdir()
    fake = FakeRuntime(root)
    yield fake
    fake.stop()


@pytest.fixture
def direct(runtime: FakeRuntime) -> SandboxDirectConnectionConfig:
    return SandboxDirectConnectionConfig(runtime.url)


@pytest.fixture
def client(cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig) -> Iterator[SandboxClient]:
    with SandboxClient(direct, access=cluster.access) as made:
        yield made


@pytest.fixture
async def async_client(
    cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> AsyncIterator[AsyncSandboxClient]:
    async with AsyncSandboxClient(direct, access=cluster.access) as made:
        yield made
