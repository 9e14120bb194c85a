# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong from outside: permissions, steps that take too long, proxies, pools that are dry."""

from __future__ import annotations

import base64
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.objects import Object
from fakes.proxy import FakeProxy
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    AsyncSandboxClient,
    Sandbox,
    SandboxClient,
    SandboxClusterError,
    SandboxDirectConnectionConfig,
    SandboxError,
    SandboxLocalTunnelConnectionConfig,
    SandboxPermissionError,
    SandboxRequestError,
    SandboxTimeoutError,
    SandboxWarmPoolNotFoundError,
)
from agent_sandbox_client.cluster import ClusterAccess

Use = Callable[[SandboxClient, Sandbox], object]

USES: dict[str, tuple[str, str, Use]] = {
    "create": ("create", "sandboxclaims", lambda client, sandbox: client.create_sandbox("python")),
    "wait": ("watch", "sandboxclaims", lambda client, sandbox: client.create_sandbox("python")),
    "find": ("get", "sandboxclaims", lambda client, sandbox: client.get_sandbox("mine")),
    "list": ("list", "sandboxclaims", lambda client, sandbox: client.list_all_sandboxes()),
    "delete": ("delete", "sandboxclaims", lambda client, sandbox: client.delete_sandbox("mine")),
    "terminate": ("delete", "sandboxclaims", lambda client, sandbox: sandbox.terminate()),
    "extend": ("patch", "sandboxclaims", lambda client, sandbox: sandbox.extend(60)),
    "status": ("get", "sandboxes", lambda client, sandbox: sandbox.status()),
    "suspend": ("patch", "sandboxes", lambda client, sandbox: sandbox.suspend()),
    "wait until it is suspended": ("watch", "sandboxes", lambda client, sandbox: sandbox.suspend()),
}


@pytest.mark.parametrize(("verb", "kind", "use"), USES.values(), ids=USES)
def test_a_missing_permission_is_named(
    client: SandboxClient, cluster: FakeKubernetes, verb: str, kind: str, use: Use
) -> None:
    sandbox = client.create_sandbox("python", name="mine", shutdown_after_seconds=600)
    cluster.forbidden.add((verb, kind))
    with pytest.raises(
        SandboxPermissionError, match=rf"permission to {verb} {kind}\.\S+ in namespace default"
    ) as caught:
        use(client, sandbox)
    assert caught.value.leftover is None
    assert cluster.names("sandboxclaims") == ["mine"]
    cluster.forbidden.clear()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to the API server end after a short time instead of a minute."""
    for kind in ("_sync", "_async"):
        monkeypatch.setattr(f"agent_sandbox_client.{kind}.api._REQUEST", httpx.Timeout(0.3))
    monkeypatch.setattr("agent_sandbox_client.retries.ATTEMPTS", 2)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("carried_out", [False, True])
def test_a_creation_without_an_answer_leaves_nothing(
    client: SandboxClient, cluster: FakeKubernetes, carried_out: bool
) -> None:
    cluster.operator = lambda fake, claim: None
    cluster.hang("create", "sandboxclaims", carried_out)
    if carried_out:
        with pytest.raises(SandboxTimeoutError):
            client.create_sandbox("python", sandbox_ready_timeout=0.3)  # it is found again, and waited for
    else:
        with pytest.raises(SandboxClusterError, match="does not answer: timed out"):
            client.create_sandbox("python")
    assert cluster.names("sandboxclaims") == []


@pytest.mark.usefixtures("impatient")
def test_a_creation_that_is_not_known_is_named(client: SandboxClient, cluster: FakeKubernetes) -> None:
    for verb in ("create", "get"):
        cluster.hang(verb, "sandboxclaims")
    with pytest.raises(SandboxClusterError, match="kubectl delete sandboxclaim mine -n default") as caught:
        client.create_sandbox("python", name="mine")
    assert caught.value.leftover == "default/mine"


@pytest.mark.usefixtures("impatient")
async def test_a_step_of_asyncio_that_takes_too_long(async_client: AsyncSandboxClient, cluster: FakeKubernetes) -> None:
    cluster.hang("watch", "sandboxclaims")
    with pytest.raises(SandboxTimeoutError, match=r"after 0\.3 s: nothing is known about it"):
        await async_client.create_sandbox("python", sandbox_ready_timeout=0.3)
    assert cluster.names("sandboxclaims") == []


@pytest.mark.usefixtures("impatient")
def test_a_wait_without_an_answer_ends_in_time(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.hang("watch", "sandboxclaims")
    started = time.monotonic()
    with pytest.raises(SandboxTimeoutError, match=r"after 0\.3 s: nothing is known about it"):
        client.create_sandbox("python", sandbox_ready_timeout=0.3)
    assert time.monotonic() - started < 5
    assert cluster.names("sandboxclaims") == []


@pytest.mark.usefixtures("impatient")
def test_a_deletion_without_an_answer_names_what_is_left(
    client: SandboxClient, cluster: FakeKubernetes, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.operator = lambda fake, claim: None
    cluster.hang("delete", "sandboxclaims")
    with pytest.raises(SandboxTimeoutError, match="kubectl delete sandboxclaim mine -n default"):
        client.create_sandbox("python", name="mine", sandbox_ready_timeout=0.2)
    assert "the claim default/mine may be left: the API server" in caplog.text


def test_a_runtime_that_does_not_answer_in_time(
    client: SandboxClient, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_sandbox_client._sync.commands._GRACE", 0.1)
    sandbox = client.create_sandbox("python")
    runtime.answers.clear()
    with pytest.raises(SandboxRequestError, match=r"POST /execute: no answer within 0\.3 s; it may have been carried"):
        sandbox.commands.run("true", timeout=0.2)
    with pytest.raises(SandboxRequestError, match=r"GET /exists/a: no answer within 0\.2 s$"):
        sandbox.files.exists("a", timeout=0.2)
    with pytest.raises(SandboxRequestError, match="POST /execute/stream: the response broke off: it is silent"):
        sandbox.commands.run("cat", timeout=0.1, stdin=b"x")
    assert len(runtime.requests("/exists")) == 1  # another attempt would take as long again
    runtime.answers.set()


def test_a_tunnel_that_does_not_come_about_in_time(cluster: FakeKubernetes) -> None:
    with SandboxClient(SandboxLocalTunnelConnectionConfig(0.2), access=cluster.access) as client:
        sandbox = client.create_sandbox("python", name="mine")
        cluster.any_pod = ("127.0.0.1", 1)
        cluster.hang("create", "pods/portforward")
        with pytest.raises(
            SandboxRequestError, match=f"503 the API server {cluster.url} cannot be reached: .*timed out"
        ):
            sandbox.commands.run("true")


def test_a_pool_that_does_not_exist(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.operator = lambda fake, claim: fake.refuse(claim, "WarmPoolNotFound", "there is no pool fast")
    with pytest.raises(SandboxWarmPoolNotFoundError, match="there is no pool fast"):
        client.create_sandbox(pool="fast")
    assert cluster.names("sandboxclaims") == []


def test_a_pool_that_is_dry_is_waited_for(client: SandboxClient, cluster: FakeKubernetes) -> None:
    def later(fake: FakeKubernetes, claim: Object) -> None:
        fake.refuse(claim, "SandboxNotReady", "pool fast has no ready member")
        threading.Timer(0.2, fake.bind, (claim, "warm-1")).start()

    cluster.operator = later
    assert client.create_sandbox(pool="fast").sandbox_id == "warm-1"
    cluster.operator = lambda fake, claim: fake.refuse(claim, "SandboxNotReady", "pool fast has no ready member")
    with pytest.raises(SandboxTimeoutError, match="SandboxNotReady: pool fast has no ready member"):
        client.create_sandbox(pool="fast", sandbox_ready_timeout=0.2)
    assert len(cluster.names("sandboxclaims")) == 1


def test_a_template_that_is_deleted_meanwhile(client: SandboxClient, cluster: FakeKubernetes) -> None:
    def gone(fake: FakeKubernetes, claim: Object) -> None:
        fake.refuse(claim, "DependenciesNotReady", "Pod is Pending")
        threading.Timer(0.1, fake.refuse, (claim, "TemplateNotFound", "template python was deleted")).start()

    cluster.operator = gone
    with pytest.raises(SandboxError, match="template python was deleted"):
        client.create_sandbox("python", sandbox_ready_timeout=20)
    assert cluster.names("sandboxclaims") == []


@pytest.fixture
def proxy() -> Iterator[FakeProxy]:
    fake = FakeProxy()
    yield fake
    fake.stop()


def test_an_api_server_and_a_tunnel_behind_a_proxy(
    proxy: FakeProxy, certificate: Path, serving: ssl.SSLContext, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")  # the one of the kubeconfig comes first
    cluster = FakeKubernetes(serving)
    proxy.credentials = "Basic " + base64.b64encode(b"me:p@ss").decode()
    cluster.any_pod = ("127.0.0.1", runtime.port)
    tls = ssl.create_default_context(cafile=certificate)
    access = ClusterAccess(cluster.url, tls, proxy=f"http://me:p%40ss@127.0.0.1:{proxy.port}")
    with SandboxClient(access=access) as client:
        sandbox = client.create_sandbox("python")
        assert proxy.seen == [f"127.0.0.1:{cluster.port}"]
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        assert len(proxy.seen) > 1
        cluster.cut()
        proxy.credentials = "another"
        with pytest.raises(SandboxRequestError, match=r"503 the API server .* cannot be reached: .*407"):
            sandbox.files.exists("a")
        proxy.credentials = None
    assert cluster.names("sandboxclaims") == []
    cluster.stop()


def test_a_tunnel_says_which_proxies_it_cannot_use(cluster: FakeKubernetes, monkeypatch: pytest.MonkeyPatch) -> None:
    with SandboxClient(access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        through = ClusterAccess(cluster.url, proxy="socks5://127.0.0.1:1")
        monkeypatch.setattr(sandbox.k8s_helper, "access", lambda: through)
        monkeypatch.setattr("agent_sandbox_client.tunnel_targets.K8sHelper", lambda access: sandbox.k8s_helper)
        with pytest.raises(SandboxRequestError, match="cannot go through a proxy of the kind socks5://"):
            sandbox.commands.run("true")
        monkeypatch.undo()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "all_proxy"])
def test_a_tunnel_uses_no_proxy_of_the_environment_by_itself(
    cluster: FakeKubernetes, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """The access says whether there is one: NO_PROXY, which it knows, is read otherwise by websocket-client."""
    monkeypatch.setenv(variable, "http://127.0.0.1:1")
    monkeypatch.setattr("websocket._url.DEFAULT_NO_PROXY_HOST", [])
    cluster.any_pod = ("127.0.0.1", runtime.port)
    with SandboxClient(access=cluster.access) as client:
        assert client.create_sandbox("python").commands.run("echo hello").stdout == "hello\n"


def test_a_router_behind_a_proxy(
    proxy: FakeProxy, cluster: FakeKubernetes, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"127.0.0.1:{proxy.port}")
    config = SandboxDirectConnectionConfig(f"http://router.example:{runtime.port}")
    with SandboxClient(config, access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        sandbox.files.write("ü b", b"\0\xff")
        assert sandbox.files.read("ü b") == b"\0\xff"
        with pytest.raises(SandboxError, match="cannot go through a proxy: name the router in NO_PROXY"):
            sandbox.commands.run("cat", stdin=b"x")
    assert set(proxy.seen) == {f"router.example:{runtime.port}"}


def test_arguments_and_outputs_that_are_no_ascii(client: SandboxClient) -> None:
    commands = client.create_sandbox("python").commands
    text = "größe 名前 \N{PILE OF POO} \x01 'a' \"b\""
    assert commands.run(["printf", "%s", text]).stdout == text
    assert commands.run("cat", stdin=text).stdout == text
    seen: list[Any] = []
    commands.run(["printf", "%s", text], on_stdout=seen.append)
    assert "".join(seen) == text
