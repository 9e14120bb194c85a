# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The proxy of the environment."""

from __future__ import annotations

import ipaddress
import urllib.parse
from collections.abc import Mapping


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Returns the URL of the proxy that leads to url, or None.

    HTTP_PROXY, HTTPS_PROXY and ALL_PROXY count in both spellings. NO_PROXY has host names, domains, addresses and, as
    other clients of Kubernetes read it, address ranges. This machine is never reached through a proxy.
    """
    parts = urllib.parse.urlsplit(url)
    host, port = parts.hostname or "", parts.port
    variables = {
        name.lower(): value for name, value in environment.items() if name.lower().endswith("_proxy") and value
    }
    if _local(host) or _excluded(host, port, variables.get("no_proxy", "")):
        return None
    proxy = variables.get(f"{parts.scheme}_proxy") or variables.get("all_proxy")
    if proxy and "://" not in proxy:
        proxy = "http://" + proxy
    return proxy


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _local(host: str) -> bool:
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _excluded(host: str, port: int | None, no_proxy: str) -> bool:
    address = _address(host)
    for entry in (part.strip() for part in no_proxy.split(",")):
        if entry == "*":
            return True
        if "/" in entry and address is not None:
            try:
                if address in ipaddress.ip_network(entry, strict=False):
                    return True
            except ValueError:
                continue
        name, _, only = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
        if only and only != str(port):
            continue
        name = name.strip("[]").lstrip(".").lower()
        if name and (host == name or (address is None and host.endswith("." + name))):
            return True
    return False
