# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The examples, with the answers of the model from files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes import langchain_tools
from fakes.kubernetes import FakeKubernetes
from fakes.runtime import FakeRuntime

from agent_sandbox_client import Sandbox, SandboxClient, SandboxDirectConnectionConfig
from agent_sandbox_client.cluster import ClusterAccess

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    source = str(EXAMPLES.parent / "src")
    monkeypatch.setenv("PYTHONPATH", f"{source}:{EXAMPLES}")


def test_an_agent_that_runs_python(
    cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    import code_interpreter

    client = SandboxClient(direct, access=cluster.access)
    code_interpreter.main("python", "What?", str(EXAMPLES / "recorded" / "fibonacci.json"), client=client)
    assert capsys.readouterr().out == "The 30th Fibonacci number is 832040.\n"
    assert cluster.names("sandboxclaims") == []


def test_what_the_model_reads(client: SandboxClient) -> None:
    from code_interpreter import run_python

    sandbox = client.create_sandbox("python")
    assert run_python(sandbox, "print(6 * 7)") == "42\n"
    assert "NameError: name 'c' is not defined" in run_python(sandbox, "print(c)")
    said = run_python(sandbox, "print('begun', flush=True)\nwhile True: pass", timeout=2)
    assert said == "begun\n\nThe program was stopped after 2 s."
    assert len(run_python(sandbox, "print('x' * 99999)")) == 10_000


def test_the_model_sees_what_its_programs_said(client: SandboxClient) -> None:
    from code_interpreter import answer, recorded

    model, seen = recorded(str(EXAMPLES / "recorded" / "fibonacci.json")), []

    def listening(messages: list[dict[str, Any]]) -> dict[str, Any]:
        seen.append(messages[-1])
        return model(messages)

    answer("What?", listening, client.create_sandbox("python"))
    assert [message["role"] for message in seen] == ["user", "tool", "tool"]
    assert "name 'c' is not defined" in seen[1]["content"]
    assert seen[2] == {"role": "tool", "tool_call_id": "2", "content": "832040\n"}


async def test_the_tool_for_langchain(client: SandboxClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian has no package of LangChain: the class is that of fakes/langchain_tools.py."""
    for name, module in langchain_tools.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    from code_interpreter import TOOL, recorded
    from langchain_tool import python_tool

    tool = python_tool(client.create_sandbox("python"))
    assert (tool.name, tool.description) == (TOOL["name"], TOOL["description"])
    assert tool.args == {"code": {"title": "Code", "type": "string"}}
    assert tool.args_schema.model_json_schema()["required"] == ["code"]
    assert tool.invoke({"code": "print(6 * 7)"}) == tool.invoke("print(6 * 7)") == "42\n"
    assert await tool.ainvoke({"code": "print(6 * 7)"}) == "42\n"
    with pytest.raises(ValueError, match="Field required"):
        tool.invoke({"program": "print(6 * 7)"})
    model = recorded(str(EXAMPLES / "recorded" / "fibonacci.json"))
    messages: list[Any] = []
    while calls := (reply := model(messages)).get("tool_calls"):
        for call in calls:  # as an agent of LangChain hands a model's call to its tool
            message = {"type": "tool_call", "id": call["id"], "name": call["name"], "args": call["arguments"]}
            messages.append(tool.invoke(message))
    assert [(one.tool_call_id, one.content.splitlines()[-1]) for one in messages] == [
        ("1", "NameError: name 'c' is not defined"),
        ("2", "832040"),
    ]
    assert reply["content"] == "The 30th Fibonacci number is 832040."


def test_a_fan_out_over_processes(cluster: FakeKubernetes, runtime: FakeRuntime) -> None:
    from fan_out import Settings, evaluate_all

    config, access = SandboxDirectConnectionConfig(runtime.url), ClusterAccess(cluster.url, authorization=_no_token)
    settings = Settings("python", {"connection_config": config, "access": access})
    programs = ["print(6 * 7)", "raise KeyError", "print('x')"]
    first, second, third = evaluate_all(settings, programs, processes=2)
    assert (first, third) == ("42", "x")
    assert second.startswith("error: ")
    assert cluster.names("sandboxclaims") == []


def _no_token() -> None:
    return None


def test_the_notebook(
    cluster: FakeKubernetes,
    direct: SandboxDirectConnectionConfig,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Client(SandboxClient):
        def __init__(self, **options: Any) -> None:
            super().__init__(direct, access=cluster.access, **options)

    monkeypatch.setattr("agent_sandbox_client.SandboxClient", Client)
    cells = json.loads((EXAMPLES / "notebook.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert capsys.readouterr().out.split() == ["7", "step", "1", "step", "2", "step", "3"]
    assert isinstance(names["sandbox"], Sandbox)
    assert cluster.names("sandboxclaims") == []
    names["client"].close()
