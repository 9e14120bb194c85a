# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""An API server with an operator: objects, watches, patches and port-forward."""

from __future__ import annotations

import contextlib
import copy
import socket
import ssl
import threading
import uuid
from collections.abc import Callable

from agent_sandbox_client.cluster import ClusterAccess

from .api_handler import ApiHandler
from .objects import Object, condition
from .server import Server


class FakeKubernetes(Server):
    """An API server.

    Attributes:
        operator: What happens to a claim that was created. By default it gets a Sandbox that is ready.
        forbidden: Verbs and resources that are refused.
        broken: Verbs and resources whose next answer is lost after they were carried out.
        unserved: Kinds that are not installed.
        hanging: Verbs and resources that get no answer, and whether they are carried out.
        failing: Verbs and resources whose next calls get a status instead.
        pods: The addresses that port-forwards lead to, by the name and the port of the Pod.
        any_pod: The address for all others, if there is one.
        calls: The verbs, resources and names that came.
        groups: The kinds of further groups, by the group and the version, for discovery.
        accepted: The Authorization headers that are accepted. None accepts all.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.objects: dict[tuple[str, str, str], Object] = {}
        self.events: list[tuple[str, str, Object]] = []
        self.changed = threading.Condition()
        self.operator: Callable[[FakeKubernetes, Object], None] = FakeKubernetes.bind
        self.forbidden: set[tuple[str, str]] = set()
        self.broken: list[tuple[str, str]] = []
        self.failing: list[tuple[str, str, int]] = []
        self.unserved: set[str] = set()
        self.hanging: dict[tuple[str, str], bool] = {}
        self.ended = threading.Event()
        self.pods: dict[tuple[str, int], tuple[str, int]] = {}
        self.any_pod: tuple[str, int] | None = None
        self.calls: list[tuple[str, str, str]] = []
        self.groups: dict[tuple[str, str], list[str]] = {}
        self.accepted: set[str] | None = None
        self.forwards: set[socket.socket] = set()
        self.mute = False
        self.cuts = 0
        self.strict: set[str] = set()
        self._version = 0
        super().__init__(ApiHandler, tls)

    def has_more(self, known: int, cuts: int) -> bool:
        """Whether a watch has something to do: more events than those that it knows, or to break off."""
        return len(self.events) > known or self.cuts > cuts

    def hang(self, verb: str, plural: str, carried_out: bool = False) -> None:
        """Answers no more such requests until it is stopped."""
        self.hanging[(verb, plural)] = carried_out

    def stop(self) -> None:
        """Ends the server, and what hangs."""
        self.ended.set()
        super().stop()

    @property
    def access(self) -> ClusterAccess:
        """How clients reach it."""
        return ClusterAccess(self.url, authorization=lambda: "Bearer of-the-kubeconfig")

    def names(self, plural: str) -> list[str]:
        """Returns the names of the objects of a kind."""
        return [name for kind, _, name in self.objects if kind == plural]

    def created(self, plural: str) -> list[Object]:
        """Returns the objects of a kind as they were when they were created."""
        return [thing for kind, event, thing in self.events if (kind, event) == (plural, "ADDED")]

    def put(self, plural: str, thing: Object, event: str = "MODIFIED") -> Object:
        """Writes an object."""
        with self.changed:
            metadata = thing["metadata"]
            self._version += 1
            metadata.update(resourceVersion=str(self._version))
            metadata.setdefault("uid", str(uuid.uuid4()))
            self.objects[(plural, metadata["namespace"], metadata["name"])] = thing
            self._notify(plural, event, thing)
        return thing

    def remove(self, plural: str, namespace: str, name: str) -> bool:
        """Deletes an object, and the Sandbox of a claim."""
        with self.changed:
            thing = self.objects.pop((plural, namespace, name), None)
            if thing is None:
                return False
            self._notify(plural, "DELETED", thing)
        bound = thing.get("status", {}).get("sandbox", {}).get("name")
        if plural == "sandboxclaims" and bound:
            self.remove("sandboxes", namespace, bound)
        return True

    def _notify(self, plural: str, event: str, thing: Object) -> None:
        self.events.append((plural, event, copy.deepcopy(thing)))
        self.changed.notify_all()

    def bind(self, claim: Object, sandbox: str | None = None) -> None:
        """Gives a claim a Sandbox that is ready."""
        metadata = claim["metadata"]
        name = sandbox or metadata["name"]
        status = {
            "conditions": [condition("Ready", "True", "DependenciesReady", "Pod is Ready")],
            "podIPs": ["127.0.0.1"],
            "selector": "agents.x-k8s.io/sandbox-name-hash=abc123",
        }
        made = self.put(
            "sandboxes",
            {
                "metadata": {
                    "name": name,
                    "namespace": metadata["namespace"],
                    "annotations": {"agents.x-k8s.io/pod-name": f"{name}-pod"},
                },
                "spec": {},
                "status": status,
            },
            "ADDED",
        )
        bound = copy.deepcopy(claim)
        bound["status"] = {
            "conditions": [condition("Ready", "True")],
            "sandbox": {"name": name, "uid": made["metadata"]["uid"], "podIPs": ["127.0.0.1"]},
        }
        self.put("sandboxclaims", bound)

    def refuse(self, claim: Object, reason: str, message: str) -> None:
        """Gives a claim the condition of one that does not get ready."""
        refused = copy.deepcopy(claim)
        refused["status"] = {"conditions": [condition("Ready", "False", reason, message)]}
        self.put("sandboxclaims", refused)

    def cut(self) -> None:
        """Breaks all watches and port-forwards."""
        with self.changed:
            self.cuts += 1
            self.changed.notify_all()
        for one in list(self.forwards):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def react(self, sandbox: Object) -> None:
        """Does what the operator does when the spec of a Sandbox has changed."""
        suspended = sandbox["spec"].get("replicas") == 0
        conditions = [condition("Ready", "False" if suspended else "True", "SandboxSuspended" if suspended else "")]
        if suspended:
            conditions.append(condition("Suspended", "True", "PodTerminated"))
        changed = copy.deepcopy(sandbox)
        changed["status"].update(conditions=conditions, podIPs=[] if suspended else ["127.0.0.1"])
        self.put("sandboxes", changed)
