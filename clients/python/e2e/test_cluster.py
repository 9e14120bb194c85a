# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client on a real cluster. test/e2e runs it: TestThePythonClientOnARealCluster.

The environment has KUBECONFIG, NAMESPACE with the template runtime-copied and its pool warm, KUBECTL, PLUGIN, and the
tokens TOKEN of an account that may reach sandboxes and STRANGER of one that may do nothing.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent_sandbox_client import (
    AsyncSandbox,
    AsyncSandboxClient,
    Sandbox,
    SandboxClient,
    SandboxLocalTunnelConnectionConfig,
    SandboxPermissionError,
    SandboxRequestError,
    SandboxTemplateNotFoundError,
    SandboxTimeoutError,
    SandboxWarmPoolNotFoundError,
)
from agent_sandbox_client.cluster import load
from agent_sandbox_client.pool import map_sandboxes

NAMESPACE, TEMPLATE = os.environ["NAMESPACE"], "runtime-copied"
LABELS = {"made-by": "python-client"}


def kubectl(*arguments: str) -> str:
    command = [os.environ["KUBECTL"], "-n", NAMESPACE, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def eventually(what: str, reached: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def runs(sandbox: Sandbox) -> bool:
    try:
        return sandbox.commands.run("echo here").stdout == "here\n"
    except SandboxRequestError:
        return False


@pytest.fixture
def client() -> Iterator[SandboxClient]:
    with SandboxClient(namespace=NAMESPACE) as made:
        yield made


@pytest.fixture
def sandbox(client: SandboxClient) -> Sandbox:
    return client.create_sandbox(TEMPLATE, warmpool="none", labels=LABELS, shutdown_after_seconds=1800)


@pytest.mark.parametrize("launch", ["warm", "cold"])
@pytest.mark.parametrize("way", ["to the Pod", "to the router"])
def test_commands_files_and_ports(launch: str, way: str) -> None:
    config = SandboxLocalTunnelConnectionConfig()
    if way == "to the router":
        config = SandboxLocalTunnelConnectionConfig(router_namespace="agent-sandbox-system", token=os.environ["TOKEN"])
    with SandboxClient(config, namespace=NAMESPACE) as client:
        eventually("a warm member", lambda: launch == "cold" or _has_member())
        sandbox = client.create_sandbox(TEMPLATE, warmpool="none" if launch == "cold" else None, labels=LABELS)
        assert (sandbox.sandbox_id == sandbox.claim_name) == (launch == "cold")
        _use(sandbox)
        claim = sandbox.claim_name
    with SandboxClient(namespace=NAMESPACE) as another:
        assert claim not in another.list_all_sandboxes()


def _has_member() -> bool:
    return kubectl("get", "sandboxwarmpool", "warm", "-o", "jsonpath={.status.readyReplicas}") == "1"


def _use(sandbox: Sandbox) -> None:
    result = sandbox.commands.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 3)
    data = os.urandom(3 << 20)
    sandbox.files.write("dir with space/ü.bin", data)
    assert sandbox.files.read("dir with space/ü.bin") == data
    assert [(entry.name, entry.size) for entry in sandbox.files.list("dir with space")] == [("ü.bin", len(data))]
    assert not sandbox.files.exists("none")
    with sandbox.commands.stream("cat", stdin=data) as output:
        assert b"".join(chunk.data for chunk in output) == data
    assert output.exit_code == 0
    sandbox.commands.run(["sh", "-c", "python3 -m http.server 9000 >/dev/null 2>&1 &"])
    port = sandbox.port(9000)
    eventually("the server in the sandbox", lambda: _answers(port.request))


def _answers(request: Callable[..., object]) -> bool:
    try:
        request("GET", "/")
    except SandboxRequestError:
        return False
    return True


def test_directories(sandbox: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "data").write_bytes(os.urandom(1 << 20))
    (source / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "run.sh").chmod(0o755)
    sandbox.files.upload(source, "project")
    assert sandbox.commands.run("./project/run.sh").stdout == "ran\n"
    sandbox.files.download("project", tmp_path / "back")
    assert (tmp_path / "back" / "deep" / "data").read_bytes() == (source / "deep" / "data").read_bytes()


def test_suspend_and_resume(sandbox: Sandbox) -> None:
    sandbox.files.write("a", b"x")
    sandbox.suspend()
    assert sandbox.is_suspended()
    with pytest.raises(SandboxRequestError, match="suspended"):
        sandbox.commands.run("true")
    sandbox.resume()
    assert sandbox.commands.run("echo again").stdout == "again\n"
    assert not sandbox.files.exists("a")  # its volume goes with the Pod
    assert sandbox.extend(60) is not None


def test_cut_connections(sandbox: Sandbox) -> None:
    sandbox.files.write("a", b"x")
    for _ in range(3):
        for tunnel in sandbox.connector.strategy._tunnels.values():  # type: ignore[attr-defined]
            for connection in list(tunnel._connections):
                socket.socket.shutdown(connection._remote.sock, socket.SHUT_RDWR)  # below TLS
        assert sandbox.files.read("a") == b"x"


def test_a_pod_that_is_deleted_in_the_middle_of_a_command(sandbox: Sandbox) -> None:
    pod = sandbox.get_pod_name()
    command = [sys.executable, "-c", f"import time; time.sleep(1); {_delete(pod)}"]
    with subprocess.Popen(command), pytest.raises(SandboxRequestError):
        result = sandbox.commands.run("sleep 60")
        raise SandboxRequestError(f"it was stopped with {result.exit_code}")  # the runtime had time to say so
    eventually("the next Pod", lambda: runs(sandbox))


def _delete(pod: str) -> str:
    return f"import subprocess; subprocess.run({[os.environ['KUBECTL'], '-n', NAMESPACE, 'delete', 'pod', pod]!r})"


def test_ctrl_c_in_the_middle_of_a_command(client: SandboxClient) -> None:
    program = f"""
from agent_sandbox_client import SandboxClient
with SandboxClient(namespace={NAMESPACE!r}) as client:
    sandbox = client.create_sandbox({TEMPLATE!r}, warmpool="none", name="interrupted")
    print("ready", flush=True)
    sandbox.commands.run("sleep 60")
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert "interrupted" not in client.list_all_sandboxes()


def test_what_goes_wrong(client: SandboxClient) -> None:
    with pytest.raises(SandboxTemplateNotFoundError, match="nothing"):
        client.create_sandbox("nothing", labels=LABELS)
    with pytest.raises(SandboxWarmPoolNotFoundError, match="nothing"):
        client.create_sandbox(pool="nothing", labels=LABELS)
    with pytest.raises(SandboxTimeoutError, match=r"after 0\.05 s"):
        client.create_sandbox(TEMPLATE, warmpool="none", labels=LABELS, sandbox_ready_timeout=0.05)
    access = load()
    assert access.tls is not None
    stranger = replace(access, authorization=lambda: f"Bearer {os.environ['STRANGER']}", tls=_without_certificate())
    refused = pytest.raises(SandboxPermissionError, match="permission to create sandboxclaims")
    with SandboxClient(namespace=NAMESPACE, access=stranger) as other, refused:
        other.create_sandbox(TEMPLATE)
    assert client.list_all_sandboxes(label_selector="made-by=python-client") == []


def _without_certificate() -> ssl.SSLContext:
    """Trusts the API server as the kubeconfig does, and shows no certificate of its own."""
    from kubernetes import client, config

    configuration = client.Configuration()
    config.load_kube_config(client_configuration=configuration)
    return ssl.create_default_context(cafile=configuration.ssl_ca_cert)


async def _work(sandbox: AsyncSandbox, item: int) -> str:
    return (await sandbox.commands.run(f"echo {item}")).stdout.strip()


async def _many(items: int, concurrency: int) -> float:
    started = time.monotonic()
    async with AsyncSandboxClient(namespace=NAMESPACE) as client:
        results = await map_sandboxes(
            client, _work, range(items), concurrency=concurrency, template=TEMPLATE, warmpool="none", labels=LABELS
        )
    assert results == [str(item) for item in range(items)]
    return time.monotonic() - started


def test_twenty_at_once(client: SandboxClient) -> None:
    together = asyncio.run(_many(20, 20))
    four = asyncio.run(_many(4, 1))
    assert client.list_all_sandboxes(label_selector="made-by=python-client") == []
    print(f"20 sandboxes at once: {together:.1f} s; 4 one after the other: {four:.1f} s, so 20: {5 * four:.1f} s")


def _median(work: Callable[[], object], times: int = 30) -> float:
    work()
    samples = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        samples.append(time.perf_counter() - started)
    return 1000 * statistics.median(samples)


def test_the_overhead_of_a_command(sandbox: Sandbox) -> None:
    address = urllib.parse.urlsplit(sandbox.port(8888).url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0)

    def bare() -> None:
        connection.request("POST", "/execute", b'{"command": "true"}', {"Content-Type": "application/json"})
        assert b'"exit_code":0' in connection.getresponse().read()

    plugin = [os.environ["PLUGIN"], "-n", NAMESPACE, "exec", sandbox.claim_name or "", "--", "true"]
    figures = {
        "commands.run": _median(lambda: sandbox.commands.run("true")),
        "bare HTTP through the same tunnel": _median(bare),
        "the plugin's exec": _median(lambda: subprocess.run(plugin, check=True, stdin=subprocess.DEVNULL), 5),
    }
    connection.close()
    print("median of 'true': " + ", ".join(f"{name} {value:.1f} ms" for name, value in figures.items()))
