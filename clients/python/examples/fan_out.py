# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluates many programs at once, each in a sandbox of its own, from several processes.

Every process has a client of its own. With Ray, `evaluate` becomes a task:
`ray.remote(evaluate).remote(settings, program)`.

    python3 examples/fan_out.py TEMPLATE
"""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from agent_sandbox_client import SandboxClient

PROGRAMS = [f"print(sum(range({n})))" for n in range(8)]


@dataclass(frozen=True)
class Settings:
    """How the processes make their clients.

    Attributes:
        client: The arguments of SandboxClient.
    """

    template: str
    client: dict[str, Any]


def evaluate(settings: Settings, program: str) -> str:
    """Runs a program in a sandbox of its own. The cluster deletes the sandbox if this process is killed."""
    with SandboxClient(**settings.client) as client:
        sandbox = client.create_sandbox(settings.template, shutdown_after_seconds=600)
        result = sandbox.commands.run(["python3", "-c", program])
        return result.stdout.strip() if result.exit_code == 0 else f"error: {result.stderr[-200:]}"


def evaluate_all(settings: Settings, programs: list[str], processes: int = 4) -> list[str]:
    """Returns the output of each program. Processes are started anew: threads and connections are not inherited."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as executor:
        return list(executor.map(evaluate, [settings] * len(programs), programs))


if __name__ == "__main__":
    for line in evaluate_all(Settings(sys.argv[1], {}), PROGRAMS):
        print(line)
