# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Spans of OpenTelemetry. Debian has no package of it, so its entry points are those of fakes/opentelemetry_api.py."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, cast

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.opentelemetry_api import OpenTelemetry, Span
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    AsyncSandboxClient,
    SandboxClient,
    SandboxDirectConnectionConfig,
    SandboxRequestError,
    SandboxTemplateNotFoundError,
    SandboxTracerConfig,
)
from agent_sandbox_client.extensions.computer_use import ComputerUseSandboxClient

ON = SandboxTracerConfig(enable_tracing=True, trace_service_name="my-agent")
ANNOTATION = "opentelemetry.io/trace-context"


@pytest.fixture
def telemetry(monkeypatch: pytest.MonkeyPatch) -> OpenTelemetry:
    made = OpenTelemetry()
    for name, module in made.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    return made


def test_tracing_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", cast(Any, None))
    with pytest.raises(ImportError, match=r"pip install 'agent-sandbox-client\[tracing\]'"):
        SandboxClient(tracer_config=ON)
    SandboxClient(tracer_config=SandboxTracerConfig()).close()


def test_without_tracing_there_are_no_spans(
    client: SandboxClient, cluster: FakeKubernetes, runtime: FakeRuntime
) -> None:
    sandbox = client.create_sandbox("python")
    sandbox.commands.run("true")
    assert "traceparent" not in runtime.seen[-1].headers
    annotations = cluster.objects[("sandboxclaims", "default", str(sandbox.claim_name))]["metadata"]["annotations"]
    assert ANNOTATION not in annotations


def tree(spans: list[Span]) -> list[tuple[str, str]]:
    """Returns the names of the spans and of their parents, without the service."""
    return [(one.name.removeprefix("my-agent."), one.parent.name if one.parent else "") for one in spans]


def test_a_handle_has_a_span_and_what_is_done_with_it_belongs_to_that(
    telemetry: OpenTelemetry, cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> None:
    with SandboxClient(direct, ON, access=cluster.access) as client:
        sandbox = client.create_sandbox("python", name="mine")
        annotation = cluster.objects[("sandboxclaims", "default", "mine")]["metadata"]["annotations"][ANNOTATION]
        sandbox.commands.run("sh -c 'exit 3'")
        sandbox.files.write("a", b"abc")
        sandbox.files.read("a")
        sandbox.files.list(".")
        sandbox.files.exists("a")
        sandbox.suspend()
        sandbox.resume()
        assert telemetry.spans[0].ends == 0
    life = "my-agent.lifecycle"
    assert tree(telemetry.spans) == [
        ("lifecycle", ""),
        ("create_claim", life),
        ("wait_for_sandbox_ready", "my-agent.create_claim"),
        *((name, life) for name in ("run", "write", "read", "list", "exists", "suspend", "resume", "terminate")),
    ]
    assert {one.scope for one in telemetry.spans} == {"my_agent"}
    assert [one.ends for one in telemetry.spans] == [1] * 11
    assert [one.status for one in telemetry.spans] == ["UNSET"] * 11
    claimed = telemetry.spans[1].context
    assert json.loads(annotation) == {"traceparent": f"00-{claimed.trace_id}-{claimed.span_id}-01"}
    assert [one.attributes for one in telemetry.spans[1:6]] == [
        {"sandbox.claim.name": "mine"},
        {"sandbox.claim.name": "mine"},
        {"sandbox.command": "sh -c 'exit 3'", "sandbox.exit_code": 3},
        {"sandbox.file.path": "a", "sandbox.file.size": 3},
        {"sandbox.file.path": "a"},
    ]


def test_spans_belong_to_that_of_the_program(
    telemetry: OpenTelemetry, cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> None:
    request = Span("request", telemetry.modules()["opentelemetry.trace"].get_tracer("x").start_span("").context)
    telemetry.spans.clear()
    with SandboxClient(direct, ON, access=cluster.access) as client:
        with telemetry.use(request):
            sandbox = client.create_sandbox("python")
            sandbox.commands.run("true")
        sandbox.close_connection()
        client.get_sandbox(str(sandbox.claim_name)).files.exists("a")
    assert tree(telemetry.spans)[:4] == [
        ("lifecycle", "request"),
        ("create_claim", "request"),
        ("wait_for_sandbox_ready", "my-agent.create_claim"),
        ("run", "request"),
    ]
    assert telemetry.spans[3].context.trace_id == request.context.trace_id
    assert tree(telemetry.spans)[4:7] == [
        ("lifecycle", ""),
        ("wait_for_sandbox_ready", "my-agent.lifecycle"),
        ("exists", "my-agent.lifecycle"),
    ]
    assert [one.ends for one in telemetry.named("my-agent.lifecycle")] == [1, 1]


def test_a_router_and_a_runtime_continue_the_trace(
    telemetry: OpenTelemetry, cluster: FakeKubernetes, runtime: FakeRuntime, direct: SandboxDirectConnectionConfig
) -> None:
    with SandboxClient(direct, ON, access=cluster.access) as client:
        sandbox = client.create_sandbox("python")
        sandbox.commands.run("true")
        sandbox.commands.run("cat", stdin=b"x")
        sandbox.files.exists("a")
        sandbox.port(9000).request("GET")  # this is no span of ours: it is that of the program
    sent = [one.headers.get("traceparent") for one in runtime.seen]
    spans = [one.context for one in (*telemetry.named("my-agent.run"), *telemetry.named("my-agent.exists"))]
    assert sent == [*(f"00-{one.trace_id}-{one.span_id}-01" for one in spans), None]


def test_errors_are_recorded(
    telemetry: OpenTelemetry, cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> None:
    with SandboxClient(direct, ON, access=cluster.access) as client:
        with pytest.raises(SandboxRequestError):
            client.create_sandbox("python").files.read("none")
        cluster.operator = lambda fake, claim: fake.refuse(claim, "TemplateNotFound", "no template")
        with pytest.raises(SandboxTemplateNotFoundError):
            client.create_sandbox("python")
    assert "404 no such file: none" in telemetry.named("my-agent.read")[0].errors[0]
    for name in ("create_claim", "wait_for_sandbox_ready"):
        failed = telemetry.named(f"my-agent.{name}")[1]
        assert failed.status == "ERROR", name
        assert "SandboxTemplateNotFoundError" in failed.errors[0]
    assert [one.ends for one in telemetry.named("my-agent.lifecycle")] == [1, 1]


async def test_tasks_do_not_share_spans(
    telemetry: OpenTelemetry, cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> None:
    async with AsyncSandboxClient(direct, ON, access=cluster.access) as client:

        async def work(name: str) -> None:
            sandbox = await client.create_sandbox("python", name=name)
            await sandbox.commands.run(["echo", name])

        await asyncio.gather(*(work(f"c{number}") for number in range(5)))
    for run in telemetry.named("my-agent.run"):
        created = [one for one in telemetry.named("my-agent.create_claim") if one.parent is run.parent]
        assert [run.attributes["sandbox.command"]] == [
            f"echo {one.attributes['sandbox.claim.name']}" for one in created
        ]
    assert len({one.context.trace_id for one in telemetry.spans}) == 5


def test_a_question_to_an_agent_has_a_span(
    telemetry: OpenTelemetry, cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig
) -> None:
    with ComputerUseSandboxClient(direct, ON, access=cluster.access) as client:
        client.create_sandbox("computer").agent("open the door")
    assert len(telemetry.named("my-agent.agent_query")) == 1
