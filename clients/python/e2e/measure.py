# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Measures the client on a real cluster, and prints tables of medians. `make bench-python` starts one and runs it.

KUBECONFIG says which cluster; kubectl and kubectl-sandbox are on the PATH; RUNTIME_IMAGE is the image of the runtime.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_sandbox_client import AsyncSandbox, AsyncSandboxClient, Sandbox, SandboxClient
from agent_sandbox_client.pool import map_sandboxes

NAMESPACE, TEMPLATE, POOL = "default", "runtime-copied", "warm-python"
LABELS = {"made-by": "measure"}
MANIFEST = Path(__file__).parents[3] / "examples" / "templates" / "runtime-copied.yaml"

#: Runs in the sandbox: how long the runtime itself takes, without any way to it.
INSIDE = """
import http.client, json, time
connection, samples = http.client.HTTPConnection("127.0.0.1", 8888), []
for _ in range(TIMES + 1):
    started = time.perf_counter()
    connection.request("POST", "/execute", '{"command": "true"}', {"Content-Type": "application/json"})
    assert b'"exit_code":0' in connection.getresponse().read()
    samples.append(time.perf_counter() - started)
print(json.dumps(samples[1:]))
"""


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description="Measures the Python client on a real cluster.")
    parser.add_argument("-only", choices=["command", "cold", "warm"], help="measure only this")
    parser.add_argument("-sandboxes", type=int, default=20, help="how many sandboxes there are at once")
    parser.add_argument("-rounds", type=int, default=3, help="how often creations are measured")
    parser.add_argument("-times", type=int, default=30, help="how often a command is measured")
    options = parser.parse_args()
    manifest = MANIFEST.read_text().replace("python:3.13-slim", "localhost/sandbox-python:v1")
    manifest = manifest.replace("ghcr.io/agent-sandbox/sandbox-runtime:v0.1.0", os.environ["RUNTIME_IMAGE"])
    run("kubectl", "apply", "-n", NAMESPACE, "-f", "-", stdin=manifest)
    if options.only in (None, "command"):
        command(options.times)
    if options.only in (None, "cold"):
        creations("cold", options.sandboxes, options.rounds)
    if options.only in (None, "warm"):
        creations("warm", options.sandboxes, options.rounds)


def run(*arguments: str, stdin: str = "") -> str:
    """Runs a program and returns its output."""
    done = subprocess.run(arguments, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


def command(times: int) -> None:
    """Measures the command `true` in all ways, which alternate."""
    with SandboxClient(namespace=NAMESPACE) as client:
        sandbox = client.create_sandbox(TEMPLATE, warmpool="none", labels=LABELS, shutdown_after_seconds=1800)
        address = urllib.parse.urlsplit(sandbox.port(8888).url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port or 0)

        def bare() -> None:
            connection.request("POST", "/execute", b'{"command": "true"}', {"Content-Type": "application/json"})
            assert b'"exit_code":0' in connection.getresponse().read()

        claim, pod = str(sandbox.claim_name), sandbox.get_pod_name()
        ways: dict[str, Callable[[], object]] = {
            "`commands.run`, through a tunnel, on a new connection": lambda: sandbox.commands.run("true"),
            "`commands.run` again, on the same connection": lambda: sandbox.commands.run("true"),
            "a bare HTTP request, through the same tunnel": bare,
            "`commands.run` with `on_stdout`": lambda: sandbox.commands.run("true", on_stdout=len),
            "`commands.run` with `stdin`": lambda: sandbox.commands.run("true", stdin=b""),
            "`kubectl sandbox exec`": lambda: run("kubectl-sandbox", "-n", NAMESPACE, "exec", claim, "--", "true"),
            "`kubectl exec`": lambda: run("kubectl", "-n", NAMESPACE, "exec", pod, "--", "true"),
        }
        samples = alternately(ways, times)
        samples["a bare HTTP request, inside of the sandbox"] = inside(sandbox, times)
        connection.close()
    print(f"\nThe command `true`, {times} times each:\n\n| way | median | fastest | slowest |\n|---|---|---|---|")
    for name, found in samples.items():
        figures = [1000 * figure for figure in (statistics.median(found), min(found), max(found))]
        print(f"| {name} | " + " | ".join(f"{figure:.1f} ms" for figure in figures) + " |")


def alternately(ways: dict[str, Callable[[], object]], times: int) -> dict[str, list[float]]:
    """Returns how many seconds each way takes, without the first time."""
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(times + 1):
        for name, work in ways.items():
            started = time.perf_counter()
            work()
            samples[name].append(time.perf_counter() - started)
    return {name: found[1:] for name, found in samples.items()}


def inside(sandbox: Sandbox, times: int) -> list[float]:
    """Returns how long bare requests take within the sandbox."""
    result = sandbox.commands.run(["python3", "-c", INSIDE.replace("TIMES", str(times))])
    if result.exit_code != 0:
        sys.exit(f"in the sandbox: {result.stderr}")
    return [float(sample) for sample in json.loads(result.stdout)]


def creations(launch: str, sandboxes: int, rounds: int) -> None:
    """Measures sandboxes that are created, used once and deleted: all at once, and one after the other."""
    if launch == "warm":
        pool = ["-n", NAMESPACE, "pool", "create", POOL, "--template", TEMPLATE, "--replicas", str(sandboxes)]
        run("kubectl-sandbox", *pool)
    ways = {"all at once": sandboxes, "one after the other": 1}
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, concurrency in ways.items():
            if launch == "warm":
                full(sandboxes)
            samples[name].append(asyncio.run(many(launch, sandboxes, concurrency)))
            left = run("kubectl", "-n", NAMESPACE, "get", "sandboxclaims", "-l", "made-by=measure", "-o", "name")
            assert left == "", f"these are left: {left}"
    print(f"\n{sandboxes} sandboxes from one process, {launch}, {rounds} rounds; each result is right, none is left:\n")
    print("| way | median | fastest | slowest |\n|---|---|---|---|")
    for name, found in samples.items():
        print(f"| {name} | {statistics.median(found):.1f} s | {min(found):.1f} s | {max(found):.1f} s |")
    if launch == "warm":
        run("kubectl-sandbox", "-n", NAMESPACE, "pool", "delete", POOL, "--yes")


def full(size: int) -> None:
    """Returns when the pool has all its members."""
    deadline = time.monotonic() + 600
    query = ["get", "sandboxwarmpool", POOL, "-o", "jsonpath={.status.readyReplicas}"]
    while run("kubectl", "-n", NAMESPACE, *query) != str(size):
        assert time.monotonic() < deadline, f"the pool has not {size} members after ten minutes"
        time.sleep(0.5)


async def many(launch: str, items: int, concurrency: int) -> float:
    """Returns how many seconds the sandboxes take."""
    creation: dict[str, Any] = {"pool": POOL} if launch == "warm" else {"template": TEMPLATE, "warmpool": "none"}
    started = time.monotonic()
    async with AsyncSandboxClient(namespace=NAMESPACE) as client:
        results = await map_sandboxes(client, work, range(items), concurrency=concurrency, labels=LABELS, **creation)
    assert results == [str(item) for item in range(items)]
    return time.monotonic() - started


async def work(sandbox: AsyncSandbox, item: int) -> str:
    """Returns what the command wrote."""
    return (await sandbox.commands.run(f"echo {item}")).stdout.strip()


if __name__ == "__main__":
    main()
