# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Everything over TLS."""

from __future__ import annotations

import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    AsyncSandboxClient,
    SandboxClient,
    SandboxClusterError,
    SandboxDirectConnectionConfig,
    SandboxRequestError,
)
from agent_sandbox_client.cluster import ClusterAccess, load

DATA = bytes(range(256)) * 4_000


async def test_a_tunnel_through_an_encrypted_api_server(
    certificate: Path, serving: ssl.SSLContext, runtime: FakeRuntime
) -> None:
    cluster = FakeKubernetes(serving)
    access = ClusterAccess(cluster.url, ssl.create_default_context(cafile=certificate))
    cluster.pods[("mine-pod", 8888)] = ("127.0.0.1", runtime.port)
    with SandboxClient(access=access) as client:
        sandbox = client.create_sandbox("python", name="mine")
        sandbox.files.write("a", DATA)
        assert sandbox.files.read("a") == DATA
        with sandbox.commands.stream("cat", stdin=DATA) as output:
            assert b"".join(chunk.data for chunk in output) == DATA
    async with AsyncSandboxClient(access=access) as other:
        handle = await other.create_sandbox("python", name="mine")
        assert (await handle.commands.run("cat", stdin=b"x")).stdout == "x"
    cluster.stop()


def test_an_encrypted_router(
    certificate: Path, serving: ssl.SSLContext, cluster: FakeKubernetes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = FakeRuntime(tmp_path, serving)
    trusting = SandboxDirectConnectionConfig(router.url, ca_file=str(certificate))
    with SandboxClient(trusting, access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        with sandbox.commands.stream("cat", stdin=DATA) as output:
            assert b"".join(chunk.data for chunk in output) == DATA
    monkeypatch.setattr("agent_sandbox_client.retries._LONGEST_PAUSE", 60)
    monkeypatch.setattr("agent_sandbox_client.retries._FIRST_PAUSE", 60)  # another attempt would not help
    with SandboxClient(SandboxDirectConnectionConfig(router.url), access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        with pytest.raises(SandboxRequestError, match="certificate verify failed"):
            sandbox.commands.run("true")
        with pytest.raises(SandboxRequestError, match="certificate verify failed"):
            sandbox.commands.run("cat", stdin=b"x")
    router.stop()


def test_an_api_server_with_another_certificate(serving: ssl.SSLContext, direct: SandboxDirectConnectionConfig) -> None:
    cluster = FakeKubernetes(serving)
    client = SandboxClient(direct, access=ClusterAccess(cluster.url, ssl.create_default_context()))
    with pytest.raises(SandboxClusterError, match="certificate verify failed"):
        client.create_sandbox("python")
    cluster.stop()


def kubeconfig(file: Path, server: str, cluster: dict[str, Any], user: dict[str, str]) -> ClusterAccess:
    parts = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {**cluster, "server": server}}],
        "users": [{"name": "u", "user": user}],
    }
    file.write_text(json.dumps(parts))
    return load(str(file))


def test_a_kubeconfig_with_a_certificate_for_the_user(
    certificate: Path, other_certificate: Path, serving: ssl.SSLContext, tmp_path: Path
) -> None:
    serving.verify_mode = ssl.CERT_REQUIRED
    serving.load_verify_locations(other_certificate)
    cluster = FakeKubernetes(serving)
    user = {"client-certificate": str(other_certificate), "client-key": str(other_certificate)}
    access = kubeconfig(tmp_path / "config", cluster.url, {"certificate-authority": str(certificate)}, user)
    assert (access.authorization(), access.token()) == (None, None)
    with SandboxClient(access=access) as client:
        assert client.list_all_sandboxes() == []
    cluster.stop()


def test_a_kubeconfig_that_trusts_everybody(serving: ssl.SSLContext, tmp_path: Path) -> None:
    cluster = FakeKubernetes(serving)
    basic = "Basic " + base64.b64encode(b"me:secret").decode()
    cluster.accepted = {basic}
    anywhere = f"https://localhost:{cluster.port}"  # the certificate is for another name, too
    user = {"username": "me", "password": "secret"}
    access = kubeconfig(tmp_path / "config", anywhere, {"insecure-skip-tls-verify": True}, user)
    assert access.token() is None
    with SandboxClient(access=access) as client:
        assert client.list_all_sandboxes() == []
    cluster.stop()
