# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Where requests go, and what they need on the way. Nothing here touches the network."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .constants import ROUTER_TOKEN_FILE_VARIABLE, ROUTER_TOKEN_VARIABLE
from .exceptions import SandboxError
from .models import RouterAccess


@dataclass(frozen=True)
class Endpoint:
    """A server that passes requests on to the sandbox, or the sandbox itself.

    Attributes:
        url: Its URL.
        routed: Whether it is the router, which needs to know the sandbox.
    """

    url: str
    routed: bool


@dataclass(frozen=True)
class Target:
    """A port of a sandbox."""

    sandbox: str
    namespace: str
    uid: str | None
    port: int


def router_headers(target: Target, token: str | None) -> dict[str, str]:
    """Returns the headers with which the router finds the sandbox."""
    headers = {
        "X-Sandbox-ID": target.sandbox,
        "X-Sandbox-Namespace": target.namespace,
        "X-Sandbox-Port": str(target.port),
    }
    if target.uid:
        headers["X-Sandbox-UID"] = target.uid
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return headers


@dataclass(frozen=True)
class TokenSource:
    """Where the token for the router comes from."""

    access: RouterAccess
    environment: Mapping[str, str] = field(repr=False)

    def read(self) -> str | None:
        """Returns the token, or None."""
        if self.access.token:
            return self.access.token
        path = self.access.token_file
        if path is None and (token := self.environment.get(ROUTER_TOKEN_VARIABLE)):
            return token
        path = path or self.environment.get(ROUTER_TOKEN_FILE_VARIABLE)
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8") as file:
                token = file.read().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SandboxError(f"the token for the router cannot be read: {error}") from error
        if not token:
            raise SandboxError(f"the file {path} with the token for the router is empty")
        return token


_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")


def gateway_address(gateway: Mapping[str, Any]) -> str | None:
    """Returns the first address of a Gateway, or None while it has none."""
    addresses = gateway.get("status", {}).get("addresses") or []
    return str(addresses[0].get("value", "")) if addresses else None


def gateway_url(gateway: Mapping[str, Any], scheme: str) -> str | None:
    """Returns the URL of a Gateway, or None while it has no address. Raises for an address that is none."""
    address = gateway_address(gateway)
    if address is None:
        return None
    host = url_host(address)
    for listener in gateway.get("spec", {}).get("listeners") or []:
        if str(listener.get("protocol", "")).lower() == scheme:
            return f"{scheme}://{host}:{int(listener['port'])}"
    return f"{scheme}://{host}"


def url_host(address: str) -> str:
    """Returns an address or a host name as a URL has it. Anything else could lead requests elsewhere."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        if not _HOST.fullmatch(address):
            raise SandboxError(f"{address!r} is neither an address nor a host name") from None
        return address
    return f"[{parsed}]" if parsed.version == 6 else str(parsed)


def pod_url(config_domain: str, ip: str | None, target: Target) -> str:
    """Returns the URL of a port of a Pod, by its address or by the name of its Service."""
    host = url_host(ip) if ip else f"{target.sandbox}.{target.namespace}.svc.{config_domain}"
    return f"http://{host}:{target.port}"
