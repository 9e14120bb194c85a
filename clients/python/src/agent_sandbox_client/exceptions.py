# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The errors of this package. All of them are a SandboxError, and so a RuntimeError."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

    from .models import ExecutionResult


class SandboxError(RuntimeError):
    """The base of all errors of this package.

    Attributes:
        leftover: What the client made, could not delete, and did not keep: "namespace/claim". None if nothing is left.
    """

    leftover: str | None = None

    def __str__(self) -> str:
        message = super().__str__()
        if self.leftover is None:
            return message
        namespace, _, name = self.leftover.partition("/")
        return f"{message}; the claim {self.leftover} may be left: kubectl delete sandboxclaim {name} -n {namespace}"


class SandboxClusterError(SandboxError, ConnectionError):
    """The cluster is not known, or its API server cannot be reached.

    Attributes:
        unsent: Whether the API server surely has not done what it was asked for.
        unserved: Whether it does not know the kind of objects.
    """

    unsent: bool = False
    unserved: bool = False


class SandboxPermissionError(SandboxError, PermissionError):
    """The API server or the router refuses what the program asks for. The message names the missing permission."""


class SandboxNotReadyError(SandboxError):
    """The sandbox cannot be used: it has finished, has expired, or is suspended."""


class SandboxClosedError(SandboxNotReadyError, AttributeError):
    """The handle is closed."""


class SandboxTimeoutError(SandboxError, TimeoutError):
    """The sandbox was not ready, suspended or gone in time. The message says what it waited for."""


class SandboxNotFoundError(SandboxError):
    """The claim or its sandbox does not exist, or was deleted."""


class SandboxTemplateNotFoundError(SandboxError):
    """The SandboxTemplate does not exist."""


class SandboxWarmPoolNotFoundError(SandboxError):
    """The SandboxWarmPool does not exist."""


class SandboxClaimRejectedError(SandboxError):
    """The API server, the operator or the template does not permit what the claim asks for."""


class SandboxPortForwardError(SandboxError):
    """The tunnel to the sandbox or to the router cannot be opened."""


class SandboxMetadataError(SandboxError):
    """The claim was deleted before its sandbox was known."""


class SandboxRequestError(SandboxError):
    """A request to the sandbox failed.

    Attributes:
        status_code: The HTTP status, or None if there was no answer. What the request asks for may have happened.
        response: The HTTP response, or None.
    """

    def __init__(self, message: str, status_code: int | None = None, response: httpx.Response | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.response = response


class SandboxCommandTimeoutError(SandboxRequestError, TimeoutError):
    """A command ran for longer than its timeout, and was stopped.

    Attributes:
        result: What the command wrote until then.
    """

    def __init__(self, message: str, result: ExecutionResult) -> None:
        super().__init__(message)
        self.result = result


class SandboxResponseTooLargeError(SandboxRequestError):
    """The answer is larger than the limit."""
