# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What asyncio adds to the client: cancellation, and many sandboxes at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.objects import gateway, router_slice
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    AsyncSandboxClient,
    SandboxCommandTimeoutError,
    SandboxDirectConnectionConfig,
    SandboxGatewayConnectionConfig,
    SandboxInClusterConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
    SandboxNotFoundError,
    SandboxRequestError,
    SandboxTimeoutError,
    _duplex,
)
from agent_sandbox_client.cluster import ClusterAccess


async def test_the_same_methods(
    async_client: AsyncSandboxClient, cluster: FakeKubernetes, runtime: FakeRuntime, tmp_path: Path
) -> None:
    sandbox = await async_client.create_sandbox("python", shutdown_after_seconds=60, name="mine")
    seen: list[str] = []
    result = await sandbox.commands.run(["sh", "-c", "cat; echo err >&2; exit 3"], stdin="in", on_stdout=seen.append)
    assert (result.stdout, result.stderr, result.exit_code, seen) == ("in", "err\n", 3, ["in"])
    async with sandbox.commands.stream("echo hello") as output:
        assert [chunk.data async for chunk in output] == [b"hello\n"]
    assert output.exit_code == 0
    await sandbox.files.write("d/a", "x")
    assert (await sandbox.files.read("d/a"), await sandbox.files.exists("d/b")) == (b"x", False)
    await sandbox.files.download("d", tmp_path / "d")
    await sandbox.files.upload(tmp_path / "d", "e")
    assert [entry.name for entry in await sandbox.files.list("e")] == ["a"]
    port = await sandbox.port(9000)
    assert (port.url, (await port.request("GET")).json()) == (runtime.url, {"status": "ok"})
    assert (await sandbox.status())[0] == "SandboxReady"
    assert (await sandbox.get_pod_name(), await sandbox.get_pod_ip()) == ("mine-pod", "127.0.0.1")
    assert await sandbox.get_sandbox_name_hash() == "abc123"
    await sandbox.extend(60)
    await sandbox.suspend()
    assert await sandbox.is_suspended()
    await sandbox.resume()
    assert await async_client.get_sandbox("mine") is sandbox
    assert await async_client.list_all_sandboxes() == ["mine"]
    assert async_client.list_active_sandboxes() == [("default", "mine")]
    access = async_client.known_access()
    assert access is not None
    assert access.host == cluster.url
    await async_client.delete_sandbox("mine")
    assert cluster.names("sandboxclaims") == []


async def test_a_tunnel(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    async with AsyncSandboxClient(access=cluster.access) as client:
        sandbox = await client.create_sandbox("python", name="mine")
        cluster.pods[("mine-pod", 8888)] = ("127.0.0.1", runtime.port)
        assert (await sandbox.commands.run("echo hello")).stdout == "hello\n"
        cluster.cut()
        assert not await sandbox.files.exists("x")


async def test_a_tunnel_to_the_router(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    runtime.token = "of-the-kubeconfig"
    cluster.put("endpointslices", router_slice("edge"))
    cluster.pods[("router-1", 8080)] = ("127.0.0.1", runtime.port)
    config = SandboxLocalTunnelConnectionConfig(router_namespace="edge")
    async with AsyncSandboxClient(config, access=cluster.access) as client:
        sandbox = await client.create_sandbox("python")
        assert (await sandbox.commands.run("echo hello")).stdout == "hello\n"
        assert (await sandbox.port(9000)).headers["X-Sandbox-Port"] == "9000"
        assert await client.k8s_helper.ready_pods("sandbox-router-svc", "edge") == [("router-1", 8080)]


async def test_a_gateway_whose_address_changes(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    cluster.put("gateways", gateway("127.0.0.1", 1))
    async with AsyncSandboxClient(SandboxGatewayConnectionConfig("front", "edge"), access=cluster.access) as client:
        sandbox = await client.create_sandbox("python")
        with pytest.raises(SandboxRequestError, match="POST /execute"):
            await sandbox.commands.run("true")
        cluster.put("gateways", gateway("127.0.0.1", runtime.port))
        assert (await sandbox.commands.run("echo hello")).stdout == "hello\n"


async def test_straight_to_the_pod_whose_address_changes(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    config = SandboxInClusterConnectionConfig(server_port=runtime.port)
    async with AsyncSandboxClient(config, access=cluster.access) as client:
        sandbox = await client.create_sandbox("python", name="mine")
        cluster.objects[("sandboxes", "default", "mine")]["status"]["podIPs"] = ["127.0.0.2"]
        with pytest.raises(SandboxRequestError, match="POST /execute"):
            await sandbox.commands.run("true")
        cluster.objects[("sandboxes", "default", "mine")]["status"]["podIPs"] = ["127.0.0.1"]
        assert (await sandbox.commands.run("echo hello")).stdout == "hello\n"
        assert await sandbox.connector.strategy.token() is None
        assert "authorization" not in runtime.seen[-1].headers


async def test_a_cancelled_creation_leaves_nothing(async_client: AsyncSandboxClient, cluster: FakeKubernetes) -> None:
    cluster.operator = lambda fake, claim: None
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(async_client.create_sandbox("python"), 0.3)
    assert [call[0] for call in cluster.calls if call[0] in ("create", "delete")] == ["create", "delete"]
    assert cluster.names("sandboxclaims") == []


async def test_a_cancelled_command_is_stopped(async_client: AsyncSandboxClient, runtime: FakeRuntime) -> None:
    sandbox = await async_client.create_sandbox("python")
    for stdin in (None, b"x"):
        script = ["sh", "-c", "while :; do echo x; sleep 0.05; done"]
        command = sandbox.commands.run(script, on_stdout=lambda text: None, stdin=stdin)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(command, 0.5)
        for _ in range(500):
            if not runtime.running:
                break
            await asyncio.sleep(0.01)
        assert not runtime.running


async def test_a_cancellation_that_comes_with_the_result_is_not_forgotten() -> None:
    event = asyncio.Event()
    waiting = asyncio.ensure_future(_duplex._within(event.wait(), 60))
    await asyncio.sleep(0.01)
    event.set()
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_twenty_at_once(cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig) -> None:
    async with AsyncSandboxClient(direct, access=cluster.access) as client:

        async def work(index: int) -> str:
            sandbox = await client.create_sandbox("python")
            return (await sandbox.commands.run(f"echo {index}")).stdout.strip()

        assert await asyncio.gather(*map(work, range(20))) == [str(index) for index in range(20)]
    assert cluster.names("sandboxclaims") == []


async def test_input_may_be_asynchronous(async_client: AsyncSandboxClient) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for part in (b"a", b"b"):
            await asyncio.sleep(0)
            yield part

    sandbox = await async_client.create_sandbox("python")
    assert (await sandbox.commands.run("cat", stdin=parts())).stdout == "ab"
    assert (await sandbox.commands.run("cat", stdin=[b"c", b"d"])).stdout == "cd"


async def test_errors_are_the_same(async_client: AsyncSandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = await async_client.create_sandbox("python")
    with pytest.raises(SandboxCommandTimeoutError):
        await sandbox.commands.run("sleep 20", timeout=0.3)
    with pytest.raises(SandboxRequestError, match="404"):
        await sandbox.files.read("none")
    with pytest.raises(SandboxNotFoundError):
        await async_client.get_sandbox("none")
    cluster.operator = lambda fake, claim: None
    with pytest.raises(SandboxTimeoutError):
        await async_client.create_sandbox("python", sandbox_ready_timeout=0.1)


async def test_a_server_that_breaks_off_is_left_alone(cluster: FakeKubernetes) -> None:
    async with await asyncio.start_server(lambda _, answer: answer.close(), "127.0.0.1", 0) as server:
        address = server.sockets[0].getsockname()[1]
        config = SandboxDirectConnectionConfig(f"http://127.0.0.1:{address}")
        async with AsyncSandboxClient(config, access=ClusterAccess(cluster.url)) as client:
            sandbox = await client.create_sandbox("python")
            with pytest.raises(SandboxRequestError):
                await sandbox.commands.run("true")
