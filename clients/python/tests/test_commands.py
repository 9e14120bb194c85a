# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Running commands."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fakes.polling import eventually
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    OutputChunk,
    SandboxClient,
    SandboxCommandTimeoutError,
    SandboxDirectConnectionConfig,
    SandboxError,
    SandboxRequestError,
    SandboxResponseTooLargeError,
)
from agent_sandbox_client.cluster import ClusterAccess

PYTHON = sys.executable


def test_outputs_and_exit_code(client: SandboxClient) -> None:
    result = client.create_sandbox("python").commands.run("sh -c 'echo out; echo err >&2; exit 3'")
    assert (result.stdout, result.stderr, result.exit_code, result.truncated) == ("out\n", "err\n", 3, False)


def test_a_list_of_arguments_is_passed_as_it_is(client: SandboxClient) -> None:
    result = client.create_sandbox("python").commands.run(["printf", "%s\n", "a  b", "$HOME", "'\"", "ü"])
    assert result.stdout == "a  b\n$HOME\n'\"\nü\n"


def test_output_that_is_no_text(client: SandboxClient) -> None:
    sandbox = client.create_sandbox("python")
    assert sandbox.commands.run(["printf", r"\377"]).stdout == "\N{REPLACEMENT CHARACTER}"
    with sandbox.commands.stream(["printf", r"\377\000"]) as output:
        assert b"".join(chunk.data for chunk in output) == b"\xff\0"


def test_a_command_that_takes_too_long_is_stopped_and_its_output_kept(client: SandboxClient) -> None:
    commands = client.create_sandbox("python").commands
    with pytest.raises(SandboxCommandTimeoutError, match=r"longer than 0\.5 s") as caught:
        commands.run("sh -c 'echo begun; sleep 20'", timeout=0.5)
    assert caught.value.result.stdout == "begun\n"
    assert isinstance(caught.value, (TimeoutError, SandboxRequestError))


def test_an_exit_code_of_its_own_is_no_timeout(client: SandboxClient) -> None:
    assert client.create_sandbox("python").commands.run("sh -c 'exit 124'").exit_code == 124


def test_output_comes_while_the_command_runs(client: SandboxClient, runtime: FakeRuntime) -> None:
    commands = client.create_sandbox("python").commands
    seen: list[str] = []

    def on_stdout(text: str) -> None:
        seen.append(text)
        (runtime.root / "go").touch()  # the command waits for that

    script = "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; echo third >&2"
    errors: list[str] = []
    result = commands.run(["sh", "-c", script], on_stdout=on_stdout, on_stderr=errors.append)
    assert ("".join(seen), seen[0], errors) == ("first\nsecond\n", "first\n", ["third\n"])
    assert (result.stdout, result.exit_code) == ("first\nsecond\n", 0)


def test_a_stream_has_parts_and_at_its_end_the_exit_code(client: SandboxClient) -> None:
    with client.create_sandbox("python").commands.stream("sh -c 'echo out; exit 3'") as output:
        assert output.exit_code is None
        assert list(output) == [OutputChunk("stdout", b"out\n")]
    assert output.exit_code == 3


def test_leaving_a_stream_ends_the_command(client: SandboxClient, runtime: FakeRuntime) -> None:
    with client.create_sandbox("python").commands.stream("sh -c 'while :; do echo x; sleep 0.05; done'") as output:
        assert next(iter(output)).data == b"x\n"
        assert runtime.running
    eventually(lambda: not runtime.running)


def test_standard_input_may_be_large_and_come_back_meanwhile(client: SandboxClient) -> None:
    data = bytes(range(256)) * 40_000  # ten megabytes; buffers of the kernel are smaller
    with client.create_sandbox("python").commands.stream("cat", stdin=data) as output:
        assert b"".join(chunk.data for chunk in output) == data
    assert output.exit_code == 0


def test_standard_input_that_depends_on_the_output(client: SandboxClient) -> None:
    answered = threading.Event()

    def questions() -> Iterator[bytes]:
        yield b"1 + 1\n"
        assert answered.wait(10)
        yield b"6 * 7\n"

    program = [PYTHON, "-u", "-c", "while True:\n try: print(eval(input()))\n except EOFError: break"]
    said = b""
    with client.create_sandbox("python").commands.stream(program, stdin=questions()) as output:
        for chunk in output:
            said += chunk.data
            answered.set()
    assert (said, output.exit_code) == (b"2\n42\n", 0)


def test_input_without_an_end_is_not_read_for_ever(client: SandboxClient) -> None:
    asked = 0

    def endless() -> Iterator[bytes]:
        nonlocal asked
        while True:
            asked += 1
            yield b"x\n"

    with client.create_sandbox("python").commands.stream("cat", stdin=endless()) as output:
        next(iter(output))
    eventually(lambda: not [one for one in threading.enumerate() if one.name.startswith("sandbox-stdin")])
    seen = asked
    threading.Event().wait(0.05)
    assert asked == seen


def test_an_error_of_the_input_ends_the_command(client: SandboxClient, runtime: FakeRuntime) -> None:
    def wrong() -> Iterator[bytes]:
        yield b"x"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        client.create_sandbox("python").commands.run("cat", stdin=wrong())
    eventually(lambda: not runtime.running)


def test_a_command_is_sent_once(client: SandboxClient, runtime: FakeRuntime) -> None:
    commands = client.create_sandbox("python").commands
    for failure, message in ((None, "may have been carried out"), (502, "502 a failure"), (503, "503 a failure")):
        runtime.seen.clear()
        runtime.failures = [failure]
        with pytest.raises(SandboxRequestError, match=message) as caught:
            commands.run("true")
        assert caught.value.status_code == failure
        assert len(runtime.seen) == 1
        runtime.failures = [failure]
        with pytest.raises(SandboxRequestError):
            commands.run("true", on_stdout=print)
        assert [one.path for one in runtime.seen] == ["/execute", "/execute/stream"]


def test_a_command_that_nobody_began_with_is_sent_again(client: SandboxClient, runtime: FakeRuntime) -> None:
    runtime.failures, runtime.failure_headers = [503, 503], {"Retry-After": "0"}
    assert client.create_sandbox("python").commands.run("echo late").stdout == "late\n"


def test_nobody_listens(cluster_access: ClusterAccess) -> None:
    with SandboxClient(SandboxDirectConnectionConfig("http://127.0.0.1:1"), access=cluster_access) as client:
        commands = client.create_sandbox("python").commands
        with pytest.raises(SandboxRequestError, match="refused") as caught:
            commands.run("true")
        assert "carried out" not in str(caught.value)


@pytest.mark.parametrize(
    "answer", [b"", b"{", b"[]", b'{"stdout": ""}', b'{"stdout": "", "stderr": "", "exit_code": "x"}']
)
def test_an_answer_that_is_none(client: SandboxClient, runtime: FakeRuntime, answer: bytes) -> None:
    runtime.raw = answer
    with pytest.raises(SandboxRequestError, match="not as the contract says"):
        client.create_sandbox("python").commands.run("true")


def test_a_huge_answer_is_refused(client: SandboxClient, runtime: FakeRuntime) -> None:
    runtime.raw = b"x" * (65 * 1024 * 1024)
    with pytest.raises(SandboxResponseTooLargeError, match="more than"):
        client.create_sandbox("python").commands.run("true")


def test_a_huge_output_is_passed_on_and_its_beginning_kept(client: SandboxClient) -> None:
    size = 0

    def count(text: str) -> None:
        nonlocal size
        size += len(text)

    command = [PYTHON, "-c", "import sys; sys.stdout.write('x' * 20_000_000)"]
    result = client.create_sandbox("python").commands.run(command, on_stdout=count)
    assert (size, len(result.stdout), result.truncated) == (20_000_000, 8 * 1024 * 1024, True)


def test_a_runtime_without_streams(client: SandboxClient, runtime: FakeRuntime) -> None:
    runtime.missing = {"execute/stream"}
    commands = client.create_sandbox("python").commands
    seen: list[str] = []
    assert commands.run("echo hello", on_stdout=seen.append).stdout == "hello\n"
    assert seen == ["hello\n"]
    with pytest.raises(SandboxRequestError, match="standard input"):
        commands.run("cat", stdin=b"x")


def test_output_that_breaks_off(client: SandboxClient, runtime: FakeRuntime) -> None:
    commands = client.create_sandbox("python").commands
    runtime.failures = [None]
    with pytest.raises(SandboxRequestError), commands.stream("true") as output:
        list(output)
    runtime.failures = [None]
    with pytest.raises(SandboxRequestError, match="broke off"), commands.stream("cat", stdin=b"x") as output:
        list(output)
    runtime.breaking = True
    for stdin in (None, b"x"):
        with pytest.raises(SandboxRequestError, match="broke off before the end of the command"):
            commands.run("echo hello", on_stdout=print, stdin=stdin)


def test_a_proxy_of_the_environment_is_used_except_for_input(
    cluster_access: ClusterAccess, monkeypatch: pytest.MonkeyPatch, runtime: FakeRuntime
) -> None:
    monkeypatch.setenv("HTTP_PROXY", runtime.url)  # a proxy gets the whole URL, which the runtime does not know
    with SandboxClient(SandboxDirectConnectionConfig("http://router.example"), access=cluster_access) as client:
        commands = client.create_sandbox("python").commands
        with pytest.raises(SandboxRequestError):
            commands.run("true")
        assert runtime.seen[0].path == "http://router.example/execute"
        with pytest.raises(SandboxError, match="NO_PROXY"):
            commands.run("cat", stdin=b"x")


def test_the_token_for_the_router(
    client: SandboxClient, runtime: FakeRuntime, cluster_access: ClusterAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.token = "secret"
    with pytest.raises(SandboxRequestError, match="SANDBOX_ROUTER_TOKEN") as caught:
        client.create_sandbox("python").commands.run("true")
    assert caught.value.status_code == 401
    with SandboxClient(SandboxDirectConnectionConfig(runtime.url, token="secret"), access=cluster_access) as other:
        sandbox = other.create_sandbox("python")
        assert sandbox.commands.run("echo hello").stdout == "hello\n"
        assert sandbox.commands.run("cat", stdin="x").stdout == "x"
    monkeypatch.setenv("SANDBOX_ROUTER_TOKEN", "secret")
    assert client.create_sandbox("python").commands.run("echo hello").stdout == "hello\n"


def test_a_port_of_the_sandbox(client: SandboxClient, runtime: FakeRuntime) -> None:
    port = client.create_sandbox("python").port(9000)
    answer = port.request("POST", "/agent", json={"query": "hello"})
    assert answer.json()["stdout"] == "hello"
    assert runtime.seen[-1].headers["x-sandbox-port"] == "9000"
    runtime.seen.clear()
    runtime.failures = [None]
    with pytest.raises(SandboxRequestError, match="may have been carried out"):
        port.request("post", "/agent", json={"query": "once"})
    assert len(runtime.seen) == 1
    runtime.failures = [None, 502]
    assert port.request("get", "/").json() == {"status": "ok"}
    runtime.failures = [403]
    with pytest.raises(SandboxRequestError, match="needs the permission to create sandboxclaims/proxy"):
        port.request("GET", "/")
    assert (port.url, port.headers["X-Sandbox-Port"]) == (runtime.url, "9000")
    with pytest.raises(ValueError, match="no number of a port"):
        client.create_sandbox("python").port(70000)


def test_commands_whose_output_is_followed_share_a_connection(client: SandboxClient, runtime: FakeRuntime) -> None:
    commands = client.create_sandbox("python").commands
    server, opened = runtime._server, list[str]()
    accept = server.get_request

    def count() -> Any:
        opened.append("a connection")
        return accept()

    server.get_request = count  # type: ignore[assignment]
    for _ in range(3):
        assert commands.run("echo hello", on_stdout=len).stdout == "hello\n"
    assert opened == ["a connection"]
