# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The client: creates, finds and deletes sandboxes."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from .. import claims, cleanup, constants
from ..claims import ClaimRequest
from ..cluster import ClusterAccess
from ..exceptions import (
    SandboxClaimRejectedError,
    SandboxClusterError,
    SandboxError,
    SandboxNotFoundError,
    SandboxPermissionError,
)
from ..models import Metadata, SandboxConnectionConfig, SandboxLocalTunnelConnectionConfig, SandboxTracerConfig
from ..tracing import Tracer
from . import _io
from .k8s_helper import AsyncK8sHelper
from .sandbox import AsyncSandbox

S = TypeVar("S", bound=AsyncSandbox)
Self = TypeVar("Self", bound="AsyncGenericSandboxClient[Any]")

_log = logging.getLogger("agent_sandbox_client")


class AsyncGenericSandboxClient(Generic[S]):
    """Creates, finds and deletes sandboxes. As a context manager, it deletes at the end what it has made or found.

    The base of clients whose handles have more methods: such a client sets `sandbox_class`.

    Args:
        connection_config: The way to the sandboxes. By default a tunnel through the API server.
        tracer_config: Whether and how to trace.
        cleanup: Whether to delete the sandboxes of this client also when the process exits, or gets SIGTERM or
            SIGHUP. A context manager does so too.
        namespace: The namespace of methods that are not given one.
        kubeconfig: The path of a kubeconfig. By default that of kubectl, or the ServiceAccount of the Pod.
        context: The context of the kubeconfig.
        access: How the API server is reached, instead of a kubeconfig.
    """

    sandbox_class: type[AsyncSandbox] = AsyncSandbox

    def __init__(
        self,
        connection_config: SandboxConnectionConfig | None = None,
        tracer_config: SandboxTracerConfig | None = None,
        cleanup: bool = False,
        *,
        namespace: str = "default",
        kubeconfig: str | None = None,
        context: str | None = None,
        access: ClusterAccess | None = None,
    ) -> None:
        self.connection_config = connection_config or SandboxLocalTunnelConnectionConfig()
        self.namespace = namespace
        self.k8s_helper = AsyncK8sHelper(access, kubeconfig=kubeconfig, context=context)
        self._tracer = Tracer(tracer_config)
        self._active_connection_sandboxes: dict[tuple[str, str], S] = {}
        self._process = os.getpid()
        self._unregister: Callable[[], None] | None = None
        if cleanup:
            self._register_cleanup()

    async def create_sandbox(
        self,
        template: str | None = None,
        namespace: str | None = None,
        sandbox_ready_timeout: float = 180,
        labels: Mapping[str, str] | None = None,
        warmpool: str | None = None,
        *,
        shutdown_after_seconds: int | None = None,
        pool: str | None = None,
        name: str | None = None,
        annotations: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        sandbox_metadata: Metadata | None = None,
        pod_metadata: Metadata | None = None,
    ) -> S:
        """Creates a sandbox and returns when it is ready. One that does not get ready is deleted.

        Args:
            template: The name of a SandboxTemplate.
            namespace: The namespace. By default that of the client.
            sandbox_ready_timeout: How long to wait until the sandbox is ready, in seconds.
            labels: Labels of the claim.
            warmpool: "none", or the name of a pool of the template. By default any pool of the template serves.
            shutdown_after_seconds: When the cluster deletes the sandbox, also if this program cannot any more.
            pool: The name of a SandboxWarmPool, instead of a template.
            name: The name of the claim. By default one that nobody else has.
            annotations: Annotations of the claim.
            env: Environment variables of the sandbox, which the template has to permit. They need a cold start.
            sandbox_metadata: Labels and annotations of the Sandbox.
            pod_metadata: Labels and annotations of its Pod.

        Raises:
            ValueError: The arguments contradict each other, or are not what Kubernetes accepts.
            SandboxTemplateNotFoundError: There is no such template.
            SandboxWarmPoolNotFoundError: There is no such pool.
            SandboxClaimRejectedError: The template or the API server does not permit it.
            SandboxPermissionError: The program may not do it.
            SandboxTimeoutError: The sandbox is not ready in time. The message has the reason.
            SandboxClusterError: The API server does not answer.
        """
        request = ClaimRequest(
            name or claims.new_name(), namespace or self.namespace, template, warmpool, pool, labels, annotations, env,
            sandbox_metadata, pod_metadata, shutdown_after_seconds,
        )  # fmt: skip
        claims.validate(request)
        tracer = self._tracer.lifecycle()
        try:
            with tracer.span("create_claim", {"sandbox.claim.name": request.name}):
                body = claims.manifest(request, datetime.now(timezone.utc))
                if (trace := tracer.context()) is not None:
                    body["metadata"]["annotations"][constants.TRACE_CONTEXT_ANNOTATION] = trace
                await self._create(body)
                try:
                    return await self._opened(request.name, request.namespace, sandbox_ready_timeout, tracer)
                except BaseException as error:  # also Ctrl-C and cancellation
                    await _io.finish(self._undo(body, error))
                    raise
        except BaseException:
            tracer.end()
            raise

    async def _create(self, body: dict[str, Any]) -> None:
        try:
            await self.k8s_helper.create_claim(body)
        except (SandboxPermissionError, SandboxClaimRejectedError, SandboxNotFoundError):
            raise  # the API server has created nothing
        except BaseException as error:
            if not (isinstance(error, SandboxClusterError) and error.unsent):
                await _io.finish(self._undo(body, error))
            raise

    async def _undo(self, body: dict[str, Any], error: BaseException) -> None:
        """Deletes a claim that is of no use. The error gets its name if that fails."""
        name, namespace = body["metadata"]["name"], body["metadata"]["namespace"]
        try:
            await self.k8s_helper.undo_claim(body)
        except Exception as problem:
            _log.warning("the claim %s/%s may be left: %s", namespace, name, problem)
            if isinstance(error, SandboxError):
                error.leftover = f"{namespace}/{name}"

    async def _opened(self, name: str, namespace: str, timeout: float, tracer: Tracer) -> S:
        """Waits until a claim is ready, and returns its handle, which is then known."""
        with tracer.span("wait_for_sandbox_ready", {"sandbox.claim.name": name}):
            bound = await self.k8s_helper.wait_for_claim_ready(name, namespace, timeout)
        handle = self.sandbox_class(
            name, bound.sandbox, namespace, self.connection_config, self.k8s_helper, tracer, bound.uid
        )
        self._active_connection_sandboxes[(namespace, name)] = cast(S, handle)
        return cast(S, handle)

    async def get_sandbox(
        self,
        claim_name: str,
        namespace: str | None = None,
        resolve_timeout: float = 30,
        template_name: str | None = None,
    ) -> S:
        """Returns the handle of a claim that exists. Handles that are open are returned again.

        Args:
            claim_name: The name of the claim.
            namespace: Its namespace. By default that of the client.
            resolve_timeout: How long to wait until it is ready, in seconds.
            template_name: The template that it has to be of.

        Raises:
            SandboxNotFoundError: There is no such claim.
            SandboxTimeoutError: It is not ready in time, for instance because it is suspended.
            ValueError: It is of another template.
        """
        namespace = namespace or self.namespace
        key = (namespace, claim_name)
        claim = await self.k8s_helper.get_sandbox_claim(claim_name, namespace)
        known = self._active_connection_sandboxes.get(key)
        if claim is None:
            if known is not None:
                await known.close_connection()
                self._active_connection_sandboxes.pop(key, None)
            raise SandboxNotFoundError(f"claim {namespace}/{claim_name} does not exist")
        template = claim["spec"].get("sandboxTemplateRef", {}).get("name")
        if template_name is not None and template != template_name:
            raise ValueError(f"claim {namespace}/{claim_name} is of template {template!r}, not {template_name!r}")
        if known is not None and known.is_active and known.sandbox_id == claims.sandbox_name(claim):
            return known
        if known is not None:
            await known.close_connection()
        tracer = self._tracer.lifecycle()
        try:
            return await self._opened(claim_name, namespace, resolve_timeout, tracer)
        except BaseException:
            tracer.end()
            raise

    def list_active_sandboxes(self) -> list[tuple[str, str]]:
        """Returns the namespaces and the names of the claims whose handles are open."""
        return [key for key in self.undeleted_sandboxes() if self._active_connection_sandboxes[key].is_active]

    def undeleted_sandboxes(self) -> list[tuple[str, str]]:
        """Returns those, and the ones that could not be deleted."""
        for key, handle in list(self._active_connection_sandboxes.items()):
            if not (handle.is_active or handle.to_be_deleted):
                self._active_connection_sandboxes.pop(key, None)
        return list(self._active_connection_sandboxes)

    async def list_all_sandboxes(self, namespace: str | None = None, label_selector: str | None = None) -> list[str]:
        """Returns the names of all claims of a namespace, whoever made them.

        Args:
            namespace: The namespace. By default that of the client.
            label_selector: The labels that they have, as "app=agent,tier!=test".
        """
        return await self.k8s_helper.list_sandbox_claims(namespace or self.namespace, label_selector)

    async def delete_sandbox(self, claim_name: str, namespace: str | None = None) -> None:
        """Deletes a claim, and with it the sandbox. One that does not exist is no error.

        Args:
            claim_name: The name of the claim.
            namespace: Its namespace. By default that of the client.
        """
        namespace = namespace or self.namespace
        handle = self._active_connection_sandboxes.get((namespace, claim_name))
        if handle is not None:
            await handle.terminate()
        await self.k8s_helper.delete_sandbox_claim(claim_name, namespace)
        self._active_connection_sandboxes.pop((namespace, claim_name), None)

    async def delete_all(self) -> None:
        """Deletes all sandboxes that this client has handles of. What cannot be deleted is logged, and stays known."""
        if os.getpid() != self._process:
            return  # they belong to the process that this one was forked from
        await _io.each(self._delete_known, list(self._active_connection_sandboxes))

    async def _delete_known(self, key: tuple[str, str]) -> None:
        try:
            await self.delete_sandbox(key[1], key[0])
        except Exception as error:
            _log.error("the claim %s/%s could not be deleted: %s", key[0], key[1], error)

    async def close(self) -> None:
        """Closes the handles and the connections. Sandboxes go on."""
        for handle in list(self._active_connection_sandboxes.values()):
            await handle.close_connection()
        await self.k8s_helper.close()

    async def __aenter__(self: Self) -> Self:
        self._register_cleanup()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await _io.finish(self._end())

    async def _end(self) -> None:
        if os.getpid() == self._process:
            await self.delete_all()
            await self.close()
        if self._unregister is not None and not self.undeleted_sandboxes():
            self._unregister()
            self._unregister = None

    def known_access(self) -> ClusterAccess | None:
        """Returns how the API server is reached. None if that was never needed."""
        return self.k8s_helper.known_access()

    def _register_cleanup(self) -> None:
        if self._unregister is None:
            self._unregister = cleanup.register(self)


class AsyncSandboxClient(AsyncGenericSandboxClient[AsyncSandbox]):
    """Creates, finds and deletes sandboxes. As a context manager, it deletes at the end what it has made or found."""

    def __class_getitem__(cls, handle: type[AsyncSandbox]) -> type[AsyncSandboxClient]:
        """Permits programs to derive from SandboxClient[Handle], as they do from AsyncGenericSandboxClient[Handle]."""
        return cls
