# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Sandboxes in which an agent takes requests in natural language."""

from __future__ import annotations

from .._sync.sandbox import Sandbox
from .._sync.sandbox_client import GenericSandboxClient
from ..exceptions import SandboxRequestError
from ..models import ExecutionResult


class SandboxWithComputerUseSupport(Sandbox):
    """A sandbox with an agent at the endpoint POST /agent."""

    def agent(self, query: str, timeout: float | None = 60) -> ExecutionResult:
        """Asks the agent, once, and returns its answer as outputs and an exit code.

        Args:
            query: What the agent is to do.
            timeout: How long the answer may be silent, in seconds.

        Raises:
            SandboxClosedError: The handle is closed.
            SandboxRequestError: There was no answer, or it is none of an agent.
        """
        with self.tracer.span("agent_query"):
            response = self.connector.send_request("POST", "agent", json={"query": query}, timeout=timeout)
            try:
                answer = response.json()
                return ExecutionResult(
                    str(answer.get("stdout", "")), str(answer.get("stderr", "")), int(answer.get("exit_code", -1))
                )
            except (ValueError, AttributeError, TypeError) as error:
                message = "POST /agent: the answer is none of an agent"
                raise SandboxRequestError(message, response.status_code, response) from error


class ComputerUseSandboxClient(GenericSandboxClient[SandboxWithComputerUseSupport]):
    """A client whose handles have the method `agent`."""

    sandbox_class = SandboxWithComputerUseSupport
