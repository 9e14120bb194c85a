# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What becomes of sandboxes when a process ends, is interrupted, or forks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.polling import eventually
from fakes.runtime import FakeRuntime

SOURCE = Path(__file__).parent.parent / "src"
# What a shell runs in the background ignores SIGINT, and what nohup runs ignores SIGHUP; children inherit both.
HEAD = """
import asyncio, os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from agent_sandbox_client import AsyncSandboxClient, SandboxClient, SandboxDirectConnectionConfig
from agent_sandbox_client.cluster import ClusterAccess
config, access = SandboxDirectConnectionConfig(sys.argv[1]), ClusterAccess(sys.argv[2])
"""
RUN = 'print("ready", flush=True); sandbox.commands.run("sleep 30")'


def start(program: str, cluster: FakeKubernetes, runtime: FakeRuntime) -> subprocess.Popen[str]:
    text = HEAD + textwrap.dedent(program)
    command = [sys.executable, "-c", text, runtime.url, cluster.url]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


PROGRAMS = {
    "a context": f"with SandboxClient(config, access=access) as client:\n sandbox = client.create_sandbox('p')\n {RUN}",
    "a command with input": (
        "with SandboxClient(config, access=access) as client:\n sandbox = client.create_sandbox('p')\n"
        ' print("ready", flush=True); sandbox.commands.run("sleep 30", stdin=b"x", on_stdout=print)'
    ),
    "cleanup": (
        f"client = SandboxClient(config, cleanup=True, access=access)\nsandbox = client.create_sandbox('p')\n{RUN}"
    ),
    "a context of a handle": (
        f"client = SandboxClient(config, cleanup=True, access=access)\n"
        f"with client.create_sandbox('p') as sandbox:\n {RUN}"
    ),
    "asyncio": """
async def main():
    async with AsyncSandboxClient(config, access=access) as client:
        sandbox = await client.create_sandbox('p')
        print("ready", flush=True)
        await sandbox.commands.run("sleep 30")
asyncio.run(main())
""",
    "asyncio with cleanup": """
async def main():
    client = AsyncSandboxClient(config, cleanup=True, access=access)
    sandbox = await client.create_sandbox('p')
    print("ready", flush=True)
    await sandbox.commands.run("sleep 30")
asyncio.run(main())
""",
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_signal_in_the_middle_of_a_command(
    program: str, number: signal.Signals, cluster: FakeKubernetes, runtime: FakeRuntime
) -> None:
    process = start(program, cluster, runtime)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    eventually(lambda: bool(runtime.requests("/execute")))
    process.send_signal(number)
    code, _, errors = end(process)
    assert code in (-number, 128 + number, 1), errors
    assert cluster.names("sandboxclaims") == [], errors


ENDS = {
    "the end": ("", 0),
    "an error": ("raise KeyError", 1),
    "sys.exit": ("sys.exit(3)", 3),
}


@pytest.mark.parametrize(("last", "want"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("kind", ["SandboxClient", "AsyncSandboxClient"])
def test_an_exit_deletes_what_is_left(
    last: str, want: int, kind: str, cluster: FakeKubernetes, runtime: FakeRuntime
) -> None:
    create = "asyncio.run(client.create_sandbox('p'))" if kind.startswith("Async") else "client.create_sandbox('p')"
    code, _, errors = end(
        start(f"client = {kind}(config, cleanup=True, access=access)\n{create}\n{last}", cluster, runtime)
    )
    assert (code, cluster.names("sandboxclaims")) == (want, []), errors


def test_without_cleanup_sandboxes_stay(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    code, _, errors = end(start("SandboxClient(config, access=access).create_sandbox('p')", cluster, runtime))
    assert (code, len(cluster.names("sandboxclaims"))) == (0, 1), errors


def test_a_handler_of_the_program_stays(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    program = """
    own = lambda number, frame: print("mine", flush=True)
    signal.signal(signal.SIGTERM, own)
    with SandboxClient(config, access=access) as client:
        client.create_sandbox("p")
        os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is own
    """
    assert end(start(program, cluster, runtime)) == (0, "mine\n", "")


@pytest.mark.parametrize("way", ["config", "None"], ids=["through a router", "through a tunnel"])
def test_a_child_uses_the_sandbox_and_leaves_it_to_its_parent(
    way: str, cluster: FakeKubernetes, runtime: FakeRuntime
) -> None:
    cluster.any_pod = ("127.0.0.1", runtime.port)
    program = """
    with SandboxClient(WAY, access=access) as client:
        sandbox = client.create_sandbox("p")
        assert sandbox.commands.run("echo parent").stdout == "parent\\n"
        child = os.fork()
        said = "".join({sandbox.commands.run(f"echo {child == 0}").stdout for _ in range(8)})
        names = {name for _ in range(8) for name in client.list_all_sandboxes() if sandbox.status()}
        assert names == {sandbox.claim_name}
        if child == 0:
            client.delete_all()
            sys.exit(0 if said == "True\\n" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert said == "False\\n"
        assert sandbox.commands.run("echo still there").stdout == "still there\\n"
        print(len(client.list_all_sandboxes()))
    """
    assert end(start(program.replace("WAY", way), cluster, runtime)) == (0, "1\n", "")
    assert cluster.names("sandboxclaims") == []


def test_a_second_signal_ends_the_process_at_once(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    cluster.hang("delete", "sandboxclaims")
    process = start(PROGRAMS["a context"], cluster, runtime)
    eventually(lambda: bool(runtime.requests("/execute")))
    process.send_signal(signal.SIGTERM)
    eventually(lambda: any(call[0] == "delete" for call in cluster.calls))
    process.send_signal(signal.SIGTERM)
    assert end(process)[0] == -signal.SIGTERM


def test_ctrl_c_while_a_sandbox_is_created(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    cluster.operator = lambda fake, claim: None
    process = start("SandboxClient(config, access=access).create_sandbox('p')", cluster, runtime)
    eventually(lambda: any(call[0] == "watch" for call in cluster.calls))
    process.send_signal(signal.SIGINT)
    code, _, errors = end(process)
    assert code == -signal.SIGINT, errors
    assert cluster.names("sandboxclaims") == [], errors


def test_a_name_that_is_imported_costs_no_time(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    assert end(start("print('kubernetes' in sys.modules)", cluster, runtime)) == (0, "False\n", "")
