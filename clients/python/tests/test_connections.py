# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The ways to a sandbox: tunnels, gateways, and straight to the Pod."""

from __future__ import annotations

import gc
import socket
import threading
import time
import urllib.parse
from collections.abc import Iterator

import httpx
import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.objects import gateway, router_slice
from fakes.polling import eventually
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    Sandbox,
    SandboxClient,
    SandboxGatewayConnectionConfig,
    SandboxInClusterConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
    SandboxNotFoundError,
    SandboxRequestError,
    SandboxTimeoutError,
)
from agent_sandbox_client.cluster import ClusterAccess


@pytest.fixture
def tunnelled(cluster: FakeKubernetes, runtime: FakeRuntime) -> Iterator[Sandbox]:
    with SandboxClient(access=cluster.access) as client:
        sandbox = client.create_sandbox("python", name="mine")
        cluster.pods[("mine-pod", 8888)] = ("127.0.0.1", runtime.port)
        yield sandbox


def test_without_a_configuration_a_tunnel_leads_to_the_pod(tunnelled: Sandbox, runtime: FakeRuntime) -> None:
    assert tunnelled.commands.run("echo hello").stdout == "hello\n"
    data = bytes(range(256)) * 4_000
    tunnelled.files.write("a", data)
    assert tunnelled.files.read("a") == data
    with tunnelled.commands.stream("cat", stdin=data) as output:
        assert b"".join(chunk.data for chunk in output) == data
    assert "authorization" not in runtime.seen[0].headers


def test_a_port_of_a_tunnel_is_a_url(tunnelled: Sandbox, cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    cluster.pods[("mine-pod", 9000)] = ("127.0.0.1", runtime.port)
    port = tunnelled.port(9000)
    assert httpx.get(port.url, trust_env=False).json() == {"status": "ok"}
    assert port.headers == {}
    assert port.request("GET").json() == {"status": "ok"}


def test_a_cut_tunnel_is_made_again(tunnelled: Sandbox, cluster: FakeKubernetes) -> None:
    tunnelled.files.write("a", b"x")
    for _ in range(3):
        cluster.cut()
        assert tunnelled.files.read("a") == b"x"


def test_a_command_whose_tunnel_is_cut_says_so(
    tunnelled: Sandbox, cluster: FakeKubernetes, runtime: FakeRuntime
) -> None:
    def cut() -> None:
        eventually(lambda: bool(runtime.running))
        cluster.cut()

    threading.Thread(target=cut).start()
    with pytest.raises(SandboxRequestError, match="may have been carried out"):
        tunnelled.commands.run("sleep 20")
    assert len(runtime.requests("/execute")) == 1
    assert tunnelled.commands.run("echo again").stdout == "again\n"


def test_the_pod_may_be_replaced(tunnelled: Sandbox, cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    tunnelled.files.write("a", b"x")
    sandbox = cluster.objects[("sandboxes", "default", "mine")]
    sandbox["metadata"]["annotations"]["agents.x-k8s.io/pod-name"] = "next-pod"
    cluster.pods = {("next-pod", 8888): ("127.0.0.1", runtime.port)}
    cluster.cut()
    assert tunnelled.files.read("a") == b"x"


def test_a_server_that_has_gone_silent_is_left(
    tunnelled: Sandbox, cluster: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_sandbox_client.tunnel._PING", 0.1)
    monkeypatch.setattr("agent_sandbox_client.tunnel._SILENCE", 0.5)
    assert tunnelled.commands.run("sleep 1.5").exit_code == 0  # it is silent, but alive
    cluster.mute = True
    started = time.monotonic()
    with pytest.raises(SandboxRequestError, match="may have been carried out"):
        tunnelled.commands.run("true")
    assert time.monotonic() - started < 5


def test_what_a_tunnel_cannot_reach_is_said(tunnelled: Sandbox, cluster: FakeKubernetes) -> None:
    with pytest.raises(SandboxRequestError, match="connection refused") as caught:
        tunnelled.port(1234).request("POST")
    assert caught.value.status_code == 503
    cluster.forbidden.add(("create", "pods/portforward"))
    with pytest.raises(SandboxRequestError, match="permission to create pods/portforward in namespace default"):
        tunnelled.commands.run("true")
    tunnelled.suspend()
    with pytest.raises(SandboxRequestError, match="is suspended: resume it first"):
        tunnelled.commands.run("true")
    cluster.objects[("sandboxes", "default", "mine")]["metadata"]["uid"] = "of-another-sandbox"
    with pytest.raises(SandboxRequestError, match="does not exist any more"):
        tunnelled.commands.run("true")
    cluster.remove("sandboxes", "default", "mine")
    with pytest.raises(SandboxRequestError, match="does not exist any more"):
        tunnelled.commands.run("true")


def test_a_pod_that_is_not_there_yet(tunnelled: Sandbox, cluster: FakeKubernetes) -> None:
    cluster.pods.clear()
    with pytest.raises(SandboxRequestError, match="Pod default/mine-pod cannot be reached") as caught:
        tunnelled.commands.run("true")
    assert caught.value.status_code == 409  # it is not sent again
    cluster.pods[("mine-pod", 8888)] = ("255.255.255.255", 1)
    with pytest.raises(SandboxRequestError, match="network is unreachable") as caught:
        tunnelled.commands.run("true")
    assert caught.value.status_code == 502


def test_a_client_that_does_not_read_for_long_gets_everything(
    tunnelled: Sandbox, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_sandbox_client.tunnel._PING", 0.05)
    monkeypatch.setattr("agent_sandbox_client.tunnel._SILENCE", 1)
    (runtime.root / "large").write_bytes(b"x" * (16 << 20))
    address = urllib.parse.urlsplit(tunnelled.port(8888).url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
        connection.sendall(b"GET /download/large HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n\r\n")
        threading.Event().wait(1.5)
        size = 0
        while data := connection.recv(1 << 20):
            size += len(data)
    assert size > 16 << 20


def test_an_api_server_that_goes_away(tunnelled: Sandbox, cluster: FakeKubernetes) -> None:
    tunnelled.files.write("a", b"x")
    cluster.cut()
    cluster.stop()
    with pytest.raises(SandboxRequestError):
        tunnelled.files.read("a")
    cluster.start()
    assert tunnelled.files.read("a") == b"x"
    gc.collect()  # it would find a socket that is left open


def test_a_closed_handle_ends_its_tunnels(tunnelled: Sandbox, cluster: FakeKubernetes) -> None:
    tunnelled.files.write("a", b"x")
    url = tunnelled.port(8888).url
    tunnelled.close_connection()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)
    eventually(lambda: not cluster.forwards)


def test_a_proxy_of_the_environment_is_not_for_tunnels(tunnelled: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert tunnelled.commands.run("echo hello").stdout == "hello\n"


def test_a_tunnel_to_the_router(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    runtime.token = "of-the-kubeconfig"
    config = SandboxLocalTunnelConnectionConfig(router_namespace="edge")
    with SandboxClient(config, access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        with pytest.raises(SandboxRequestError, match="has no ready Pod"):
            sandbox.commands.run("true")
        cluster.put("endpointslices", router_slice("edge"))
        cluster.pods[("router-1", 8080)] = ("127.0.0.1", runtime.port)
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        assert runtime.seen[-1].headers["x-sandbox-id"] == sandbox.sandbox_id
        assert sandbox.port(9000).headers["X-Sandbox-Port"] == "9000"
        assert sandbox.port(9000).url == sandbox.port(8888).url  # one tunnel serves all ports


def test_a_router_cannot_check_a_certificate(cluster: FakeKubernetes) -> None:
    config = SandboxLocalTunnelConnectionConfig(router_namespace="edge")
    with SandboxClient(config, access=ClusterAccess(cluster.url)) as client:
        sandbox = client.create_sandbox("python")
        with pytest.raises(RuntimeError, match="pass token or token_file"):
            sandbox.commands.run("true")


def test_a_gateway(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    config = SandboxGatewayConnectionConfig("front", "edge", gateway_ready_timeout=0.1)
    with SandboxClient(config, access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        with pytest.raises(SandboxNotFoundError, match="Gateway edge/front does not exist"):
            sandbox.commands.run("true")
        cluster.put("gateways", gateway())
        with pytest.raises(SandboxTimeoutError, match=r"Gateway edge/front has no address after 0\.1 s"):
            sandbox.commands.run("true")
        cluster.put("gateways", gateway("127.0.0.1", runtime.port))
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        assert runtime.seen[-1].headers["x-sandbox-id"] == sandbox.sandbox_id


def test_a_gateway_whose_address_changes(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    cluster.put("gateways", gateway("127.0.0.1", 1))
    with SandboxClient(SandboxGatewayConnectionConfig("front", "edge"), access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        with pytest.raises(SandboxRequestError, match="POST /execute"):
            sandbox.commands.run("true")
        cluster.put("gateways", gateway("127.0.0.1", runtime.port))
        assert sandbox.commands.run("echo hello").stdout == "hello\n"


def test_straight_to_the_pod(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    config = SandboxInClusterConnectionConfig(server_port=runtime.port)
    with SandboxClient(config, access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        assert "x-sandbox-id" not in runtime.seen[-1].headers
        assert sandbox.connector.strategy.token() is None
        assert (sandbox.port(9000).url, sandbox.port(9000).headers) == ("http://127.0.0.1:9000", {})
        cluster.objects[("sandboxes", "default", sandbox.sandbox_id)]["status"]["podIPs"] = ["127.0.0.2"]
        assert sandbox.commands.run("echo hello").stdout == "hello\n"  # while the address is good, it is not read again
        sandbox.close_connection()
        again = client.get_sandbox(str(sandbox.claim_name))
        with pytest.raises(SandboxRequestError, match="POST /execute"):
            again.commands.run("true")
        cluster.objects[("sandboxes", "default", sandbox.sandbox_id)]["status"]["podIPs"] = ["127.0.0.1"]
        assert again.commands.run("echo hello").stdout == "hello\n"
    by_name = SandboxInClusterConnectionConfig(use_pod_ip=False, cluster_domain="invalid")
    with SandboxClient(by_name, access=cluster.access) as client:
        sandbox = client.create_sandbox("python", "team")
        assert sandbox.port(9000).url == f"http://{sandbox.sandbox_id}.team.svc.invalid:9000"


def test_an_unknown_configuration(cluster: FakeKubernetes) -> None:
    client = SandboxClient("http://router", access=cluster.access)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown connection configuration type: str"):
        client.create_sandbox("python")
    client.close()
    assert cluster.names("sandboxclaims") == []
