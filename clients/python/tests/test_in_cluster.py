# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client in a Pod: the API server, its certificate and the token are those of the ServiceAccount."""

from __future__ import annotations

import ssl
import types
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from fakes.kubernetes import FakeKubernetes
from kubernetes import client as kubernetes_client
from kubernetes.config import incluster_config

from agent_sandbox_client import (
    AsyncSandboxClient,
    SandboxClient,
    SandboxClusterError,
    SandboxDirectConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
    SandboxPermissionError,
)
from agent_sandbox_client.cluster import load


@pytest.fixture
def server(serving: ssl.SSLContext) -> Iterator[FakeKubernetes]:
    fake = FakeKubernetes(serving)
    fake.accepted = {"bearer first"}
    yield fake
    fake.cut()
    fake.stop()


@pytest.fixture
def pod(server: FakeKubernetes, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the kubelet gives to a Pod. Returns the directory of the ServiceAccount's files."""
    account = tmp_path / "serviceaccount"
    account.mkdir()
    (account / "token").write_text("first")
    (account / "namespace").write_text("of-the-pod")
    (account / "ca.crt").write_bytes(certificate.read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(account / "token"))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(account / "ca.crt"))
    return account


class _InTwoMinutes(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + timedelta(minutes=2)


def let_two_minutes_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the kubernetes package, which reads the token of a Pod again after a minute."""
    clock = types.SimpleNamespace(datetime=_InTwoMinutes, timedelta=timedelta)
    monkeypatch.setattr(incluster_config, "datetime", clock)


def test_a_pod_needs_no_configuration(pod: Path, server: FakeKubernetes, direct: SandboxDirectConnectionConfig) -> None:
    with SandboxClient(direct) as client:
        sandbox = client.create_sandbox("python")
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        assert sandbox.namespace == "default"  # as elsewhere, not that of the Pod
        assert client.create_sandbox("python", (pod / "namespace").read_text()).namespace == "of-the-pod"
    assert server.names("sandboxclaims") == []


async def test_a_pod_of_asyncio_needs_none(
    pod: Path, server: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> None:
    async with AsyncSandboxClient(direct) as client:
        assert (await (await client.create_sandbox("python")).commands.run("echo hello")).stdout == "hello\n"
    assert server.names("sandboxclaims") == []


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_token_that_is_rotated_is_read_again(
    pod: Path,
    server: FakeKubernetes,
    direct: SandboxDirectConnectionConfig,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    with SandboxClient(direct) as client:
        sandbox = client.create_sandbox("python")
        server.accepted = {"bearer second"}
        with pytest.raises(SandboxPermissionError, match="the credentials are refused: Unauthorized"):
            sandbox.status()
        (pod / "token").write_text(f"second{ending}")
        let_two_minutes_pass(monkeypatch)
        assert sandbox.status()[0] == "SandboxReady"
        access = client.known_access()
        assert access is not None
        assert access.token() == "second"  # a router gets it too, through a tunnel
        client.create_sandbox("python")
    assert server.names("sandboxclaims") == []


def test_a_token_that_has_gone_is_named(
    pod: Path, server: FakeKubernetes, direct: SandboxDirectConnectionConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = SandboxClient(direct)
    assert client.list_all_sandboxes() == []
    (pod / "token").unlink()
    let_two_minutes_pass(monkeypatch)
    with pytest.raises(
        SandboxClusterError, match=r"credentials for https://127\.0\.0\.1.* cannot be read.*token"
    ) as caught:
        client.create_sandbox("python")
    assert caught.value.leftover is None  # nothing was sent
    client.close()


def test_a_tunnel_from_a_pod_uses_its_token(pod: Path, server: FakeKubernetes, runtime: Any) -> None:
    with SandboxClient(SandboxLocalTunnelConnectionConfig()) as client:
        sandbox = client.create_sandbox("python", name="mine")
        server.pods[("mine-pod", 8888)] = ("127.0.0.1", runtime.port)
        assert sandbox.commands.run("echo hello").stdout == "hello\n"


def test_another_certificate_is_refused(pod: Path, other_certificate: Path, server: FakeKubernetes) -> None:
    (pod / "ca.crt").write_bytes(other_certificate.read_bytes())
    client = SandboxClient()
    with pytest.raises(SandboxClusterError, match="certificate verify failed"):
        client.list_all_sandboxes()
    assert server.calls == []
    client.close()


def kubeconfig(path: Path, host: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"current-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n"
        f"clusters: [{{name: c, cluster: {{server: 'https://{host}'}}}}]\nusers: [{{name: u, user: {{token: t}}}}]\n"
    )
    return path


def test_a_kubeconfig_that_is_asked_for_comes_first(
    pod: Path, server: FakeKubernetes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load().host == server.url
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    assert load().host == f"https://[fd00::1]:{server.port}"
    elsewhere = kubeconfig(tmp_path / "kubeconfig", "elsewhere")
    assert load(str(elsewhere)).host == "https://elsewhere"
    home = kubeconfig(tmp_path / "nobody" / ".kube" / "config", "at-home")
    assert load().host == f"https://[fd00::1]:{server.port}"
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(home))
    assert load(context="c").host == "https://at-home"
    (pod / "token").unlink()  # automountServiceAccountToken: false
    assert load().host == "https://at-home"
    (pod / "token").write_text("first")
    monkeypatch.setenv("KUBECONFIG", str(elsewhere))
    assert load().host == "https://elsewhere"
    monkeypatch.setenv("KUBECONFIG", "")
    assert load().host == f"https://[fd00::1]:{server.port}"


@pytest.mark.parametrize("missing", ["ca.crt", "token"])
def test_an_account_without_all_its_files_is_no_cluster(
    pod: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(pod / "none"))
    (pod / missing).unlink()
    with pytest.raises(
        SandboxClusterError, match=r"there is no cluster: .* Set KUBECONFIG, or run the program in a Pod"
    ):
        load()


def test_a_proxy_of_the_environment_leaves_out_what_no_proxy_names(
    pod: Path, server: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Newer(kubernetes_client.Configuration):  # type: ignore[misc]
        """As of newer packages: it takes the proxy from the environment, whatever NO_PROXY says."""

        def __init__(self) -> None:
            super().__init__()
            self.proxy = "http://proxy:1"

    monkeypatch.setattr(kubernetes_client, "Configuration", Newer)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:1")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    assert load().proxy == "http://proxy:1"
    monkeypatch.setenv("NO_PROXY", "10.96.0.0/12")
    assert load().proxy is None
