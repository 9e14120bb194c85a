# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The rules for paths, proxies, retries, endpoints, and answers of the API server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fakes.objects import condition

from agent_sandbox_client import endpoints, kubeapi, paths, requests, retries, sandboxes, streaming, text
from agent_sandbox_client.endpoints import Target, TokenSource
from agent_sandbox_client.exceptions import (
    SandboxClaimRejectedError,
    SandboxClusterError,
    SandboxError,
    SandboxNotFoundError,
    SandboxPermissionError,
    SandboxRequestError,
    SandboxResponseTooLargeError,
)
from agent_sandbox_client.models import OutputChunk, RouterAccess
from agent_sandbox_client.proxies import proxy_for
from agent_sandbox_client.retries import Failure

SAFE = {
    "a.txt": "a.txt",
    "/a.txt": "a.txt",
    " a/./b//c ": "a/b/c",
    "a/../b": "b",
    "ü ber/名.txt": "ü ber/名.txt",
    "...": "...",
    "a\\b": "a\\b",
}


@pytest.mark.parametrize(("path", "want"), SAFE.items(), ids=SAFE)
def test_a_path_below_the_base_directory(path: str, want: str) -> None:
    assert paths.safe_path(path) == want


@pytest.mark.parametrize(
    "path", ["", " ", ".", "/", "a/..", "..", "../a", "a/../../b", "foo\0../etc/passwd", "a\nb", "\x7f"]
)
def test_a_path_that_leads_elsewhere(path: str) -> None:
    with pytest.raises(ValueError, match="the path"):
        paths.safe_path(path)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "a\\b", "a\0"])
def test_an_entry_from_a_sandbox_is_a_name(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        paths.local_name(name)


def test_a_quote_in_a_name_does_not_end_it() -> None:
    head, tail = paths.multipart('a"b\\c', "x")
    assert b'filename="a\\"b\\\\c"\r\n' in head
    assert tail == b"\r\n--x--\r\n"


PROXIES: dict[str, tuple[str, dict[str, str], str | None]] = {
    "none": ("http://router", {}, None),
    "for HTTP": ("http://router", {"http_proxy": "http://p:1"}, "http://p:1"),
    "in capitals": ("https://router", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
    "for everything": ("https://router", {"ALL_PROXY": "p:1"}, "http://p:1"),
    "of the other scheme": ("https://router", {"http_proxy": "http://p:1"}, None),
    "never to this machine": ("http://127.0.0.1:80", {"http_proxy": "http://p:1"}, None),
    "never to localhost": ("http://localhost:80", {"http_proxy": "http://p:1"}, None),
    "not to a name": ("http://router", {"http_proxy": "http://p:1", "no_proxy": "a, router"}, None),
    "not to a domain": ("http://a.example.com", {"http_proxy": "http://p:1", "no_proxy": ".example.com"}, None),
    "to a name that ends alike": (
        "http://myrouter",
        {"http_proxy": "http://p:1", "no_proxy": "router"},
        "http://p:1",
    ),
    "not to a range": ("https://10.1.2.3", {"https_proxy": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, None),
    "to an address out of the range": (
        "https://11.1.2.3",
        {"https_proxy": "p", "NO_PROXY": "10.0.0.0/8"},
        "http://p",
    ),
    "not to a port": ("http://router:81", {"http_proxy": "http://p:1", "no_proxy": "router:81"}, None),
    "to another port": ("http://router:82", {"http_proxy": "http://p:1", "no_proxy": "router:81"}, "http://p:1"),
    "to nothing": ("http://router", {"http_proxy": "http://p:1", "no_proxy": "*"}, None),
    "what is no range is a name": ("https://10.1.2.3", {"https_proxy": "p", "no_proxy": "x/y"}, "http://p"),
}


@pytest.mark.parametrize(("url", "environment", "want"), PROXIES.values(), ids=PROXIES)
def test_the_proxy_of_the_environment(url: str, environment: dict[str, str], want: str | None) -> None:
    assert proxy_for(url, environment) == want


RETRIES = {
    "a read whose connection broke": (Failure(), 1, True, True),
    "a command whose connection broke": (Failure(), 1, False, False),
    "a command that was not sent": (Failure(unsent=True), 1, False, True),
    "a read of a busy server": (Failure(503), 1, True, True),
    "a command of a busy server": (Failure(503), 1, False, False),
    "a command that the router asks for later": (Failure(503, retry_after=1), 1, False, True),
    "a command that is too much": (Failure(429, retry_after=1), 1, False, True),
    "a command behind a gateway that gave up": (Failure(502, retry_after=1), 1, False, False),
    "a read that is refused": (Failure(404), 1, True, False),
    "a read for the last time": (Failure(), 6, True, False),
}


@pytest.mark.parametrize(("failure", "attempt", "repeatable", "want"), RETRIES.values(), ids=RETRIES)
def test_what_is_sent_again(failure: Failure, attempt: int, repeatable: bool, want: bool) -> None:
    assert (retries.pause(failure, attempt, repeatable) is not None) == want


def test_the_server_says_when() -> None:
    assert retries.pause(Failure(503, retry_after=3), 1, True) == 3
    assert [retries.retry_after(value) for value in ("2", "0.5", "Mon", None, "-1", "inf", "nan")] == [
        2,
        0.5,
        *[None] * 5,
    ]


def test_the_headers_for_the_router() -> None:
    target = Target("s", "n", "u", 9000)
    assert endpoints.router_headers(target, "t") == {
        "X-Sandbox-ID": "s",
        "X-Sandbox-Namespace": "n",
        "X-Sandbox-Port": "9000",
        "X-Sandbox-UID": "u",
        "Authorization": "Bearer t",
    }
    assert "Authorization" not in endpoints.router_headers(target, None)


def test_where_the_token_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("of-the-file\n")
    environment = {"SANDBOX_ROUTER_TOKEN": "of-the-environment", "SANDBOX_ROUTER_TOKEN_FILE": str(file)}

    def read(environment: dict[str, str], **access: str) -> str | None:
        return TokenSource(RouterAccess(**access), environment).read()  # type: ignore[arg-type]

    assert read(environment, token="own") == "own"
    assert read(environment, token_file=str(file)) == "of-the-file"
    assert read(environment) == "of-the-environment"
    assert read({"SANDBOX_ROUTER_TOKEN_FILE": str(file)}) == "of-the-file"
    assert read({}) is None
    file.write_text(" ")
    with pytest.raises(SandboxError, match="is empty"):
        read({}, token_file=str(file))
    with pytest.raises(SandboxError, match="cannot be read"):
        read({}, token_file=str(tmp_path / "none"))


def test_a_token_is_not_printed() -> None:
    assert "secret" not in repr(RouterAccess(token="secret"))


GATEWAYS: dict[str, tuple[str, list[dict[str, Any]], str]] = {
    "an address": ("10.0.0.1", [], "http://10.0.0.1"),
    "an address of version 6": ("fd00::1", [], "http://[fd00::1]"),
    "a name and a listener": (
        "gw.example.com",
        [{"protocol": "HTTPS", "port": 443}, {"protocol": "HTTP", "port": 8080}],
        "http://gw.example.com:8080",
    ),
}


@pytest.mark.parametrize(("address", "listeners", "want"), GATEWAYS.values(), ids=GATEWAYS)
def test_the_url_of_a_gateway(address: str, listeners: list[dict[str, Any]], want: str) -> None:
    gateway = {"spec": {"listeners": listeners}, "status": {"addresses": [{"value": address}]}}
    assert endpoints.gateway_url(gateway, "http") == want


@pytest.mark.parametrize("address", ["", "a/b", "a?b", "a#b", "user@host", "a..b", "-a", "a b"])
def test_an_address_that_would_lead_elsewhere(address: str) -> None:
    with pytest.raises(SandboxError, match="neither an address nor a host name"):
        endpoints.gateway_url({"status": {"addresses": [{"value": address}]}}, "http")


def test_a_gateway_without_an_address() -> None:
    assert endpoints.gateway_url({"status": {}}, "http") is None


def test_the_url_of_a_pod() -> None:
    target = Target("s", "n", None, 8888)
    assert endpoints.pod_url("cluster.local", "10.0.0.1", target) == "http://10.0.0.1:8888"
    assert endpoints.pod_url("example", None, target) == "http://s.n.svc.example:8888"


REFUSALS: dict[str, tuple[int, bytes, type[SandboxError], str]] = {
    "no permission": (
        403,
        b'{"message": "no"}',
        SandboxPermissionError,
        "permission to get sandboxclaims.extensions",
    ),
    "no identity": (401, b'{"message": "no"}', SandboxPermissionError, "credentials are refused"),
    "no object": (404, b'{"message": "not found"}', SandboxNotFoundError, "not found"),
    "no such kind": (404, b"404 page not found", SandboxClusterError, "does not serve"),
    "not valid": (422, b'{"message": "spec is wrong"}', SandboxClaimRejectedError, "spec is wrong"),
    "an error": (500, b"oops\x1b[31m", SandboxClusterError, "oops\N{REPLACEMENT CHARACTER}"),
}


@pytest.mark.parametrize(("status", "body", "kind", "message"), REFUSALS.values(), ids=REFUSALS)
def test_what_the_api_server_says(status: int, body: bytes, kind: type[SandboxError], message: str) -> None:
    error = kubeapi.failure(kubeapi.get(kubeapi.CLAIMS, "n", "c"), status, body)
    assert type(error) is kind
    assert message in str(error)


@pytest.mark.parametrize("line", ['{"type": "ADD', '{"type": "ERROR", "object": {}}', "[]"])
def test_a_watch_that_has_to_be_started_again(line: str) -> None:
    assert kubeapi.event(line) is None


def test_the_ready_pods_of_a_service() -> None:
    slices: list[dict[str, Any]] = [
        {
            "ports": [{"name": "metrics", "port": 9090}, {"name": "http", "port": 8080}],
            "endpoints": [
                {"targetRef": {"kind": "Pod", "name": "a"}, "conditions": {"ready": True}},
                {"targetRef": {"kind": "Pod", "name": "b"}, "conditions": {"ready": False}},
                {"targetRef": {"kind": "Pod", "name": "c"}},
                {"addresses": ["10.0.0.1"]},
            ],
        },
        {"endpoints": None},
    ]
    assert kubeapi.ready_pods(slices) == [("a", 8080), ("c", 8080)]


def test_facts_about_a_sandbox() -> None:
    sandbox = {
        "metadata": {"annotations": {"agents.x-k8s.io/pod-name": "p"}},
        "status": {"podIPs": ["10.0.0.1"], "selector": "agents.x-k8s.io/sandbox-name-hash=h"},
    }
    assert (sandboxes.pod_name(sandbox, "s"), sandboxes.pod_ip(sandbox), sandboxes.name_hash(sandbox)) == (
        "p",
        "10.0.0.1",
        "h",
    )
    assert (sandboxes.pod_name({}, "s"), sandboxes.pod_ip(None), sandboxes.name_hash({})) == ("s", None, None)
    assert sandboxes.name_hash({"status": {"selector": "app=x"}}) is None


READY = [condition("Ready", "True")]
STATES: dict[str, tuple[dict[str, Any], bool]] = {
    "it can be used": ({"spec": {}, "status": {"conditions": READY}}, True),
    "the status is older than the suspension": ({"spec": {"replicas": 0}, "status": {"conditions": READY}}, False),
    "so it says": ({"spec": {}, "status": {"conditions": [condition("Ready", "False")]}}, False),
    "it says nothing": ({}, False),
}


@pytest.mark.parametrize(("sandbox", "want"), STATES.values(), ids=STATES)
def test_a_sandbox_is_ready(sandbox: dict[str, Any], want: bool) -> None:
    assert sandboxes.ready("MODIFIED", sandbox) == want


def test_an_answer_that_is_too_large() -> None:
    receiver = requests.Receiver(requests.Request("GET", "download/x", limit=3))
    receiver.add(b"abc")
    with pytest.raises(SandboxResponseTooLargeError, match="more than 3 bytes"):
        receiver.add(b"d")


def test_foreign_text_in_messages_is_short_and_has_no_control_characters() -> None:
    response = httpx.Response(500, content=json.dumps({"detail": "\x1b[31mred\x07 \n" + "x" * 9999}).encode())
    message = str(requests.refusal(requests.Request("GET", "x"), response, routed=False))
    assert message.isprintable()
    assert "red" in message
    assert len(message) < 600


@pytest.mark.parametrize("line", ["", "{}", "[]", '{"stream": "x", "data": ""}', '{"stream": "stdout", "data": "*"}'])
def test_output_that_is_none(line: str) -> None:
    with pytest.raises(SandboxRequestError, match="output that is none"):
        streaming.output(line)


def test_output_is_kept_up_to_a_limit_and_passed_on_whole() -> None:
    passed: list[str] = []
    collector = streaming.Collector({"stdout": passed.append, "stderr": None}, limit=5)
    for data in (b"ab\xc3", b"\xbccd", b"ef"):
        collector.add(OutputChunk("stdout", data))
    collector.add(OutputChunk("stderr", b"\xff"))
    result = collector.result(3)
    assert passed == ["ab", "\xfccd", "ef"]
    assert (result.stdout, result.stderr, result.exit_code, result.truncated) == (
        "ab\xfcc",
        "\N{REPLACEMENT CHARACTER}",
        3,
        True,
    )


def test_lines_end_at_newlines_alone() -> None:
    lines = text.LineBuffer(10)
    assert lines.feed("a\x85b\r\N{LINE SEPARATOR}\n\nc".encode()) == ["a\x85b\r\N{LINE SEPARATOR}"]
    assert lines.feed(b"d\n") == ["cd"]
    with pytest.raises(ValueError, match="longer than 10"):
        lines.feed(b"x" * 11)
