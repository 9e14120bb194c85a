# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Extensions, work in many sandboxes at once, the plugin for pytest, and the names of another client."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.objects import Object, condition, gateway
from fakes.runtime import FakeRuntime

import agent_sandbox_client
import k8s_agent_sandbox
from agent_sandbox_client import (
    AsyncSandbox,
    AsyncSandboxClient,
    SandboxClosedError,
    SandboxDirectConnectionConfig,
    SandboxRequestError,
    SandboxTemplateNotFoundError,
)
from agent_sandbox_client._sync.k8s_helper import K8sHelper
from agent_sandbox_client.extensions.computer_use import ComputerUseSandboxClient
from agent_sandbox_client.pool import map_sandboxes

TREE = Path(__file__).parent.parent


def test_an_agent_in_a_sandbox(
    cluster: FakeKubernetes, runtime: FakeRuntime, direct: SandboxDirectConnectionConfig
) -> None:
    with ComputerUseSandboxClient(direct, access=cluster.access) as client:
        sandbox = client.create_sandbox("computer")
        assert sandbox.agent("open the door").stdout == "open the door"
        for wrong in (b"no JSON", b"[]", b'{"exit_code": "x"}'):
            runtime.raw = wrong
            with pytest.raises(SandboxRequestError, match="the answer is none of an agent"):
                sandbox.agent("open the door")
        sandbox.close_connection()
        with pytest.raises(SandboxClosedError):
            sandbox.agent("once more")


async def echo(sandbox: AsyncSandbox, item: int) -> tuple[str, str]:
    return sandbox.sandbox_id, (await sandbox.commands.run(f"echo {item}")).stdout.strip()


@pytest.mark.parametrize("reuse", [False, True])
async def test_results_are_in_the_order_of_the_items(
    async_client: AsyncSandboxClient, cluster: FakeKubernetes, reuse: bool
) -> None:
    results = await map_sandboxes(async_client, echo, range(10), concurrency=3, reuse=reuse, template="python")
    assert [said for _, said in results] == [str(item) for item in range(10)]
    used = {name for name, _ in results}
    assert len(used) <= 3 if reuse else len(used) == 10
    assert cluster.names("sandboxclaims") == []


async def test_no_more_sandboxes_at_once_than_permitted(
    async_client: AsyncSandboxClient, cluster: FakeKubernetes
) -> None:
    most = 0

    async def count(sandbox: AsyncSandbox, item: int) -> None:
        nonlocal most
        most = max(most, len(cluster.names("sandboxclaims")))
        await asyncio.sleep(0.01)

    await map_sandboxes(async_client, count, range(8), concurrency=3, template="python")
    assert most == 3
    with pytest.raises(ValueError, match="concurrency is positive"):
        await map_sandboxes(async_client, count, range(8), concurrency=0, template="python")


async def test_the_first_error_ends_the_rest(async_client: AsyncSandboxClient, cluster: FakeKubernetes) -> None:
    async def fail(sandbox: AsyncSandbox, item: int) -> None:
        if item == 2:
            raise KeyError(item)
        await asyncio.sleep(60)

    with pytest.raises(KeyError):
        await map_sandboxes(async_client, fail, range(5), template="python")
    assert cluster.names("sandboxclaims") == []


def test_the_fixtures_of_pytest(
    cluster: FakeKubernetes, runtime: FakeRuntime, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = pytester.makefile(
        ".yaml",
        kubeconfig=f"current-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n"
        f"clusters: [{{name: c, cluster: {{server: '{cluster.url}'}}}}]\nusers: [{{name: u, user: {{token: t}}}}]\n",
    )
    monkeypatch.setenv("KUBECONFIG", str(config))
    inner = pytester.makepyfile("def test_it(sandbox): assert sandbox.commands.run('echo hello').stdout == 'hello\\n'")
    cluster.any_pod = ("127.0.0.1", runtime.port)
    run = ("-p", "agent_sandbox_client.pytest_plugin", inner, "--sandbox-namespace", "team")
    pytester.runpytest_inprocess(*run, "--sandbox-template", "python").assert_outcomes(passed=1)
    (claim,) = cluster.created("sandboxclaims")
    assert (claim["metadata"]["namespace"], claim["spec"]["sandboxTemplateRef"]) == ("team", {"name": "python"})
    assert claim["spec"]["lifecycle"]["shutdownPolicy"] == "Delete"  # a run that is killed leaves nothing for ever
    pytester.makeconftest(
        f"""
        import pytest
        from agent_sandbox_client import SandboxDirectConnectionConfig

        @pytest.fixture(scope="session")
        def sandbox_connection_config():
            return SandboxDirectConnectionConfig({runtime.url!r})
        """
    )
    pytester.runpytest_inprocess(*run, "--sandbox-pool", "fast").assert_outcomes(passed=1)
    assert cluster.created("sandboxclaims")[1]["spec"]["warmPoolRef"] == {"name": "fast"}
    assert runtime.seen[-1].headers["x-sandbox-namespace"] == "team"
    for both in ((), ("--sandbox-template", "python", "--sandbox-pool", "fast")):
        result = pytester.runpytest_inprocess(*run, *both)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*needs --sandbox-template or --sandbox-pool*"])
    assert cluster.names("sandboxclaims") == []


def test_every_name_of_the_other_client_is_one_of_this() -> None:
    modules = [module.name for module in pkgutil.walk_packages(k8s_agent_sandbox.__path__, "k8s_agent_sandbox.")]
    assert len(modules) >= 17
    for name in modules:
        module = importlib.import_module(name)
        for exported in getattr(module, "__all__", ()):
            thing = getattr(module, exported)
            if isinstance(thing, type):
                assert thing.__module__.startswith("agent_sandbox_client"), exported


def test_a_program_for_the_other_client(
    cluster: FakeKubernetes, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from k8s_agent_sandbox import SandboxClient
    from k8s_agent_sandbox.exceptions import SandboxRequestError
    from k8s_agent_sandbox.models import SandboxDirectConnectionConfig

    config = SandboxDirectConnectionConfig(api_url=runtime.url, server_port=8888)
    client = SandboxClient(connection_config=config, access=cluster.access)
    sandbox = client.create_sandbox(template="python", namespace="default", shutdown_after_seconds=60)
    try:
        sandbox.files.write("run.py", "print('ok')")
        result = sandbox.commands.run(f"{sys.executable} run.py", timeout=60)
        assert (result.stdout, result.exit_code) == ("ok\n", 0)
        assert sandbox.files.list(".")[0].name == "run.py"
        with pytest.raises(SandboxRequestError) as caught:
            sandbox.files.read("none")
        assert caught.value.status_code == 404
    finally:
        client.delete_all()
    assert cluster.names("sandboxclaims") == []
    client.close()  # otherwise the garbage collector finds open connections, and fails some later test


async def test_a_program_of_asyncio_for_the_other_client(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    from k8s_agent_sandbox import AsyncSandboxClient
    from k8s_agent_sandbox.models import SandboxDirectConnectionConfig

    config = SandboxDirectConnectionConfig(api_url=runtime.url)
    async with AsyncSandboxClient(connection_config=config, access=cluster.access) as client:
        sandbox = await client.create_sandbox(template="python-sandbox-template", shutdown_after_seconds=600)
        assert (await sandbox.commands.run("echo hello")).stdout == "hello\n"
        await sandbox.files.write("/tmp/note.txt", "hi")
        assert await sandbox.files.read("/tmp/note.txt") == b"hi"
    assert cluster.names("sandboxclaims") == []


async def test_the_helper_of_the_other_client(cluster: FakeKubernetes) -> None:
    from k8s_agent_sandbox.async_k8s_helper import AsyncK8sHelper
    from k8s_agent_sandbox.k8s_helper import K8sHelper

    cluster.operator = lambda fake, claim: fake.bind(claim, f"warm-{claim['metadata']['name']}")
    cluster.put("gateways", gateway("10.0.0.1"))
    life = {"shutdownTime": "2026-05-25T12:00:00Z", "shutdownPolicy": "Delete"}
    helper = K8sHelper(cluster.access)
    helper.create_sandbox_claim("c", "python", "team", {"a": "b"}, {"c": "d"}, life, "none")
    (made,) = cluster.created("sandboxclaims")
    assert (made["metadata"]["annotations"]["a"], made["metadata"]["labels"]) == ("b", {"c": "d"})
    assert made["spec"] == {"sandboxTemplateRef": {"name": "python"}, "warmpool": "none", "lifecycle": life}
    assert helper.resolve_sandbox_name("c", "team", 5) == "warm-c"
    assert helper.wait_for_sandbox_ready("warm-c", "team", 5) == "127.0.0.1"
    assert helper.wait_for_gateway_ip("front", "edge", 5) == "10.0.0.1"
    helper.delete_sandbox_claim("c", "team")
    helper.close()
    other = AsyncK8sHelper(cluster.access)
    await other.create_sandbox_claim("c", "python", "team")
    assert await other.resolve_sandbox_name("c", "team", 5) == "warm-c"
    assert await other.wait_for_sandbox_ready("warm-c", "team", 5) == "127.0.0.1"
    assert await other.wait_for_gateway_ip("front", "edge", 5) == "10.0.0.1"
    cluster.put("gateways", gateway())
    with pytest.raises(TimeoutError, match="has no address"):
        await other.wait_for_gateway_ip("front", "edge", 0.1)
    await other.close()


def test_a_claim_whose_sandbox_is_not_ready_has_a_name(cluster: FakeKubernetes) -> None:
    def start(fake: FakeKubernetes, claim: Object) -> None:
        status = {"conditions": [condition("Ready", "False", "NotYet")], "sandbox": {"name": "starting"}}
        fake.put("sandboxclaims", {**claim, "status": status})

    cluster.operator = start
    helper = K8sHelper(cluster.access)
    helper.create_sandbox_claim("c", "python", "team")
    assert helper.resolve_sandbox_name("c", "team", 5) == "starting"
    cluster.refuse(cluster.objects[("sandboxclaims", "team", "c")], "TemplateNotFound", "there is no template")
    with pytest.raises(SandboxTemplateNotFoundError):
        helper.resolve_sandbox_name("c", "team", 5)
    helper.close()


def test_public_names_have_documentation() -> None:
    for name in agent_sandbox_client.__all__:
        thing = getattr(agent_sandbox_client, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
