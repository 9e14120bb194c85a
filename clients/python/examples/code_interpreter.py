# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A code interpreter for an agent: the model writes Python, a sandbox runs it.

It fits every model that calls functions. TOOL describes the function as most of them take it, with small
changes of the keys; a Model is a function from the messages to the model's next one.

    python3 examples/code_interpreter.py TEMPLATE "What is the 30th Fibonacci number?" examples/recorded/fibonacci.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from agent_sandbox_client import Sandbox, SandboxClient, SandboxCommandTimeoutError

Message = dict[str, Any]
Model = Callable[[list[Message]], Message]

TOOL = {
    "name": "run_python",
    "description": "Runs a Python program in a sandbox and returns what it prints. Files stay.",
    "parameters": {
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The program."}},
        "required": ["code"],
    },
}

MOST = 10_000  # characters of an output that the model gets
STEPS = 10  # calls of the model for one question


def run_python(sandbox: Sandbox, code: str, timeout: float = 30) -> str:
    """Runs a program, and returns what the model reads: outputs, and what went wrong."""
    sandbox.files.write("program.py", code)
    try:
        result = sandbox.commands.run("python3 program.py", timeout=timeout)
    except SandboxCommandTimeoutError as error:
        return f"{error.result.stdout[:MOST]}\nThe program was stopped after {timeout:g} s."
    said = result.stdout[:MOST]
    if result.exit_code != 0:
        said += f"\nThe program failed with exit code {result.exit_code}:\n{result.stderr[-MOST:]}"
    return said


def answer(question: str, model: Model, sandbox: Sandbox) -> str:
    """Lets the model run programs until it has an answer."""
    messages: list[Message] = [{"role": "user", "content": question}]
    for _ in range(STEPS):
        reply = model(messages)
        messages.append(reply)
        if not reply.get("tool_calls"):
            return str(reply["content"])
        for call in reply["tool_calls"]:
            said = run_python(sandbox, **call["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": said})
    raise RuntimeError(f"the model has no answer after {STEPS} steps")


def recorded(path: str) -> Model:
    """Returns a model that says what another one said once."""
    with open(path, encoding="utf-8") as file:
        replies: Iterator[Message] = iter(json.load(file))
    return lambda messages: next(replies)


def main(template: str, question: str, path: str, *, client: SandboxClient) -> None:
    """Answers one question."""
    with client, client.create_sandbox(template, shutdown_after_seconds=600) as sandbox:
        print(answer(question, recorded(path), sandbox))


if __name__ == "__main__":
    main(*sys.argv[1:4], client=SandboxClient())
