# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
# Generated from ../_async/ports.py by tools/generate.py. Do not edit.
"""HTTP servers in a sandbox."""

from __future__ import annotations

from typing import Any

import httpx

from .connector import SandboxConnector


class SandboxPort:
    """A port of a sandbox on which an HTTP server listens.

    Attributes:
        port: The port in the sandbox.
        url: A URL that leads to the port until the handle is closed.
        headers: What requests to the URL need so that a router passes them on. Through a tunnel, nothing.
    """

    def __init__(self, connector: SandboxConnector, port: int, url: str, headers: dict[str, str]) -> None:
        self._connector, self.port, self.url, self.headers = connector, port, url, headers

    def request(self, method: str, path: str = "/", **options: Any) -> httpx.Response:
        """Sends a request to the port and returns the answer.

        Args:
            method: GET, POST and so on.
            path: The path of the URL.
            options: json, content, headers, params and timeout, as of the connector's send_request.

        Raises:
            SandboxRequestError: There was no answer, or it is no success.
        """
        return self._connector.send_request(method, path, port=self.port, **options)
