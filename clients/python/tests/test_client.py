# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Creating, finding and deleting sandboxes."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes.kubernetes import FakeKubernetes
from fakes.objects import condition
from fakes.polling import eventually
from fakes.runtime import FakeRuntime
from fakes.server import Server

from agent_sandbox_client import (
    GenericSandboxClient,
    Metadata,
    Sandbox,
    SandboxClaimRejectedError,
    SandboxClient,
    SandboxClosedError,
    SandboxClusterError,
    SandboxDirectConnectionConfig,
    SandboxError,
    SandboxMetadataError,
    SandboxNotFoundError,
    SandboxTemplateNotFoundError,
    SandboxTimeoutError,
)
from agent_sandbox_client.cluster import ClusterAccess, load


def test_a_sandbox_is_created_used_and_deleted(client: SandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = client.create_sandbox("python", "team", labels={"a": "b"}, shutdown_after_seconds=60)
    assert sandbox.claim_name is not None
    claim = cluster.objects[("sandboxclaims", "team", sandbox.claim_name)]
    assert claim["metadata"]["labels"] == {"a": "b"}
    assert claim["spec"]["lifecycle"]["shutdownPolicy"] == "Delete"
    assert sandbox.commands.run("echo hello").stdout == "hello\n"
    assert client.list_active_sandboxes() == [("team", sandbox.claim_name)]
    client.delete_sandbox(sandbox.claim_name, "team")
    assert (cluster.names("sandboxclaims"), client.list_active_sandboxes()) == ([], [])
    assert not sandbox.is_active


def test_a_claim_that_got_a_warm_sandbox_has_its_name(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.operator = lambda fake, claim: fake.bind(claim, "warm-1")
    sandbox = client.create_sandbox(pool="fast", sandbox_metadata=Metadata({"a": "b"}))
    assert (sandbox.sandbox_id, sandbox.get_pod_name(), sandbox.get_pod_ip()) == (
        "warm-1",
        "warm-1-pod",
        "127.0.0.1",
    )
    assert sandbox.get_sandbox_name_hash() == "abc123"
    assert sandbox.status() == ("SandboxReady", "Pod is Ready")


def test_requests_say_which_sandbox_they_are_for(
    client: SandboxClient, cluster: FakeKubernetes, runtime: FakeRuntime
) -> None:
    sandbox = client.create_sandbox("python", "team")
    sandbox.commands.run("true", timeout=20)
    headers = runtime.requests("/execute")[0].headers
    assert headers["x-sandbox-id"] == sandbox.sandbox_id
    assert headers["x-sandbox-namespace"] == "team"
    assert headers["x-sandbox-port"] == "8888"
    assert headers["x-sandbox-uid"] == cluster.objects[("sandboxes", "team", sandbox.sandbox_id)]["metadata"]["uid"]
    assert headers["x-sandbox-timeout"] == "35"
    assert headers["x-request-id"]


def test_the_context_of_a_handle_deletes_its_sandbox(client: SandboxClient, cluster: FakeKubernetes) -> None:
    with client.create_sandbox("python") as sandbox:
        assert cluster.names("sandboxclaims") == [sandbox.claim_name]
    assert cluster.names("sandboxclaims") == []
    assert sandbox.claim_name is None
    sandbox.terminate()  # once more is no error


def test_the_context_of_a_client_deletes_all(cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig) -> None:
    with pytest.raises(KeyError), SandboxClient(direct, access=cluster.access) as client:
        for _ in range(3):
            client.create_sandbox("python")
        raise KeyError
    assert cluster.names("sandboxclaims") == []


def test_a_closed_handle_says_so_and_leaves_the_sandbox(client: SandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = client.create_sandbox("python")
    port = sandbox.port(8000)
    sandbox.close_connection()
    sandbox.close_connection()
    assert not sandbox.is_active
    uses: list[Callable[[], object]] = [
        lambda: sandbox.commands,
        lambda: sandbox.files,
        lambda: port.request("GET"),
        lambda: sandbox.port(1),
    ]
    for use in uses:
        with pytest.raises(SandboxClosedError, match="is closed"):
            use()
    with pytest.raises(AttributeError):  # what programs for the other client expect
        sandbox.commands.run("true")
    assert client.list_active_sandboxes() == []
    assert cluster.names("sandboxclaims") == [sandbox.claim_name]


REFUSED: dict[str, tuple[str, type[SandboxError]]] = {
    "TemplateNotFound": ("there is no template python", SandboxTemplateNotFoundError),
    "InvalidMetadata": ("the label is reserved", SandboxClaimRejectedError),
}


@pytest.mark.parametrize(("reason", "message", "kind"), [(r, m, k) for r, (m, k) in REFUSED.items()], ids=REFUSED)
def test_a_claim_that_never_gets_ready_is_deleted(
    client: SandboxClient, cluster: FakeKubernetes, reason: str, message: str, kind: type[SandboxError]
) -> None:
    cluster.operator = lambda fake, claim: fake.refuse(claim, reason, message)
    with pytest.raises(kind, match=message):
        client.create_sandbox("python")
    assert cluster.names("sandboxclaims") == []


def test_a_sandbox_that_is_not_ready_in_time_is_deleted_and_the_reason_said(
    client: SandboxClient, cluster: FakeKubernetes
) -> None:
    cluster.operator = lambda fake, claim: fake.refuse(claim, "DependenciesNotReady", "no node has room")
    with pytest.raises(SandboxTimeoutError, match=r"after 0\.3 s: DependenciesNotReady: no node has room") as caught:
        client.create_sandbox("python", sandbox_ready_timeout=0.3)
    assert cluster.names("sandboxclaims") == []
    assert caught.value.leftover is None
    assert isinstance(caught.value, TimeoutError)


def test_what_cannot_be_deleted_is_named(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.operator = lambda fake, claim: None
    cluster.forbidden.add(("delete", "sandboxclaims"))
    with pytest.raises(SandboxTimeoutError, match="kubectl delete sandboxclaim mine -n default") as caught:
        client.create_sandbox("python", name="mine", sandbox_ready_timeout=0.2)
    assert caught.value.leftover == "default/mine"


def test_a_claim_that_somebody_deletes_meanwhile(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.operator = lambda fake, claim: threading.Timer(0.1, _delete, (fake, claim)).start()
    with pytest.raises(SandboxMetadataError, match="was deleted"):
        client.create_sandbox("python", sandbox_ready_timeout=20)


def _delete(fake: FakeKubernetes, claim: dict[str, Any]) -> None:
    fake.remove("sandboxclaims", claim["metadata"]["namespace"], claim["metadata"]["name"])


def test_a_name_that_is_taken_stays_with_its_owner(client: SandboxClient, cluster: FakeKubernetes) -> None:
    client.create_sandbox("python", name="mine")
    with pytest.raises(SandboxClaimRejectedError, match="already exists"):
        client.create_sandbox("python", name="mine")
    cluster.failing.append(("create", "sandboxclaims", 500))  # it is not known what the API server did
    with pytest.raises(SandboxClusterError, match="the server is busy"):
        client.create_sandbox("python", name="mine")
    assert cluster.names("sandboxclaims") == ["mine"]


def test_a_claim_whose_answer_is_lost_is_found_again(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.broken.append(("create", "sandboxclaims"))
    sandbox = client.create_sandbox("python")
    assert cluster.names("sandboxclaims") == [sandbox.claim_name]


def test_a_field_that_the_cluster_does_not_know_is_not_dropped(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.strict = {"sandboxMetadata"}
    cluster.forbidden.add(("get", "sandboxclaims"))
    with pytest.raises(SandboxClaimRejectedError, match="unknown field") as caught:
        client.create_sandbox("python", sandbox_metadata=Metadata({"a": "b"}))
    assert caught.value.leftover is None  # a claim that was refused needs no undoing
    assert cluster.created("sandboxclaims") == []


def test_a_cluster_without_the_operator_is_said(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.unserved.add("sandboxclaims")
    with pytest.raises(SandboxClusterError, match="does not serve sandboxclaims.*: install the operator") as caught:
        client.create_sandbox("python")
    assert caught.value.leftover is None
    with pytest.raises(SandboxClusterError, match="install the operator with its extensions"):
        client.list_all_sandboxes()


def test_cut_connections_and_busy_servers_are_survived(client: SandboxClient, cluster: FakeKubernetes) -> None:
    cluster.broken += [("watch", "sandboxclaims"), ("watch", "sandboxclaims"), ("delete", "sandboxclaims")]
    cluster.failing += [
        ("create", "sandboxclaims", 429),
        ("watch", "sandboxclaims", 500),
        ("watch", "sandboxclaims", 429),
        ("get", "sandboxclaims", 503),
    ]
    cluster.operator = lambda fake, claim: threading.Timer(0.6, fake.bind, (claim,)).start()
    sandbox = client.create_sandbox("python", sandbox_ready_timeout=20)
    sandbox.terminate()
    assert cluster.names("sandboxclaims") == []


def test_an_api_server_that_restarts_is_waited_for(client: SandboxClient, cluster: FakeKubernetes) -> None:
    def restart(claim: dict[str, Any]) -> None:
        eventually(lambda: cluster.calls[-1][0] == "watch")
        Server.stop(cluster)
        cluster.cut()
        threading.Event().wait(0.5)  # the client finds nobody meanwhile
        cluster.start()
        cluster.bind(claim)

    cluster.operator = lambda fake, claim: threading.Thread(target=restart, args=(claim,)).start()
    assert client.create_sandbox("python", sandbox_ready_timeout=20).commands.run("echo hello").stdout == "hello\n"


def test_no_cluster_is_said_at_once(direct: SandboxDirectConnectionConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_sandbox_client.retries._FIRST_PAUSE", 3)  # another attempt would not help
    monkeypatch.setattr("agent_sandbox_client.retries._LONGEST_PAUSE", 3)
    started = time.monotonic()
    client = SandboxClient(direct, access=ClusterAccess("http://127.0.0.1:1"))
    with pytest.raises(SandboxClusterError, match=r"http://127\.0\.0\.1:1 does not answer") as caught:
        client.create_sandbox("python")
    assert caught.value.leftover is None
    assert time.monotonic() - started < 2


def test_no_kubeconfig_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(SandboxClusterError, match="Set KUBECONFIG") as caught:
        SandboxClient(kubeconfig=str(tmp_path / "none")).create_sandbox("python")
    assert caught.value.leftover is None


def test_a_kubeconfig_is_read_as_kubectl_does(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:1")
    file = tmp_path / "config"
    file.write_text(
        f"""
current-context: here
contexts: [{{name: here, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {{server: "https://api.example:6443", certificate-authority: "{certificate}"}}}}]
users: [{{name: u, user: {{token: secret}}}}]
"""
    )
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'none'}:{file}")
    access = load()
    assert (access.host, access.authorization(), access.token()) == (
        "https://api.example:6443",
        "Bearer secret",
        "secret",
    )
    assert access.tls is not None
    assert access.tls.cert_store_stats()["x509_ca"] == 1
    assert access.proxy == "http://proxy:1"


def test_a_sandbox_is_found_again(client: SandboxClient, cluster: FakeKubernetes) -> None:
    sandbox = client.create_sandbox("python", name="mine")
    assert client.get_sandbox("mine") is sandbox
    sandbox.close_connection()
    again = client.get_sandbox("mine", template_name="python")
    assert again is not sandbox
    assert again.commands.run("echo again").stdout == "again\n"
    with pytest.raises(ValueError, match="of template 'python', not 'node'"):
        client.get_sandbox("mine", template_name="node")
    claim = cluster.objects[("sandboxclaims", "default", "mine")]
    cluster.bind(claim, "another")  # the claim was deleted and made anew
    assert client.get_sandbox("mine").sandbox_id == "another"
    assert not again.is_active
    again = client.get_sandbox("mine")
    cluster.remove("sandboxclaims", "default", "mine")
    with pytest.raises(SandboxNotFoundError, match="default/mine does not exist"):
        client.get_sandbox("mine")
    assert not again.is_active


def test_all_claims_of_a_namespace(client: SandboxClient, cluster: FakeKubernetes) -> None:
    for index in range(5):
        client.create_sandbox("python", name=f"c{index}", labels={"parity": "odd" if index % 2 else "even"})
    client.create_sandbox("python", "team", name="other")
    assert client.list_all_sandboxes() == ["c0", "c1", "c2", "c3", "c4"]
    assert client.list_all_sandboxes(label_selector="parity=odd") == ["c1", "c3"]
    assert client.list_all_sandboxes("team") == ["other"]


def test_what_cannot_be_deleted_is_logged_and_stays_known(
    client: SandboxClient, cluster: FakeKubernetes, caplog: pytest.LogCaptureFixture
) -> None:
    client.create_sandbox("python", name="mine")
    cluster.forbidden.add(("delete", "sandboxclaims"))
    client.delete_all()
    assert "default/mine could not be deleted" in caplog.text
    cluster.forbidden.clear()
    client.delete_sandbox("mine")
    assert cluster.names("sandboxclaims") == []


def test_what_a_context_cannot_delete_is_tried_again_at_the_exit(
    cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered: list[Callable[[], None]] = []
    monkeypatch.setattr(atexit, "register", registered.append)
    monkeypatch.setattr(atexit, "unregister", registered.remove)
    with SandboxClient(direct, access=cluster.access) as client:
        client.create_sandbox("python")
    assert registered == []
    with SandboxClient(direct, access=cluster.access) as client:
        client.create_sandbox("python")
        cluster.forbidden.add(("delete", "sandboxclaims"))
    (at_exit,) = registered
    at_exit()
    assert len(cluster.names("sandboxclaims")) == 1
    cluster.forbidden.clear()
    at_exit()
    assert cluster.names("sandboxclaims") == []


def test_a_client_with_handles_of_its_own(cluster: FakeKubernetes, direct: SandboxDirectConnectionConfig) -> None:
    class Handle(Sandbox):
        def greet(self) -> str:
            return self.commands.run("echo hello").stdout

    class Typed(GenericSandboxClient[Handle]):
        sandbox_class = Handle

    class Released(SandboxClient[Handle]):  # type: ignore[type-arg] # as programs for the other client write it
        sandbox_class = Handle

    with Typed(direct, access=cluster.access) as client:
        assert client.create_sandbox("python").greet() == "hello\n"
    with Released(direct, access=cluster.access) as released:
        assert isinstance(released.create_sandbox("python"), Handle)


def test_clients_are_used_from_many_threads(client: SandboxClient, cluster: FakeKubernetes) -> None:
    said: list[str] = []

    def work(index: int) -> None:
        with client.create_sandbox("python") as sandbox:
            said.append(sandbox.commands.run(f"echo {index}").stdout.strip())

    threads = [threading.Thread(target=work, args=(index,)) for index in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == sorted(str(index) for index in range(10))
    assert cluster.names("sandboxclaims") == []


def test_a_finished_sandbox_is_not_waited_for(client: SandboxClient, cluster: FakeKubernetes) -> None:
    def finish(fake: FakeKubernetes, claim: dict[str, Any]) -> None:
        fake.bind(claim)
        ended = [condition("Ready", "False", "PodFailed", "exit code 1"), condition("Finished", "True")]
        fake.put("sandboxclaims", {**claim, "status": {"conditions": ended}})

    sandbox = client.create_sandbox("python", name="mine")
    sandbox.close_connection()
    finish(cluster, cluster.objects[("sandboxclaims", "default", "mine")])
    with pytest.raises(SandboxError, match="has finished: exit code 1"):
        client.get_sandbox("mine")
