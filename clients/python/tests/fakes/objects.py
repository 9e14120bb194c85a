# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Objects of a cluster."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]


def condition(kind: str, status: str, reason: str = "", message: str = "") -> Object:
    """Returns a condition."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def gateway(address: str | None = None, port: int = 80) -> Object:
    """Returns the Gateway edge/front, with an address or without one."""
    return {
        "metadata": {"name": "front", "namespace": "edge"},
        "spec": {"listeners": [{"protocol": "HTTP", "port": port}]},
        "status": {"addresses": [{"value": address}]} if address else {},
    }


def router_slice(namespace: str) -> Object:
    """Returns the EndpointSlice of a router with one Pod, router-1."""
    labels = {"kubernetes.io/service-name": "sandbox-router-svc"}
    return {
        "metadata": {"name": "r", "namespace": namespace, "labels": labels},
        "ports": [{"name": "http", "port": 8080}],
        "endpoints": [{"targetRef": {"kind": "Pod", "name": "router-1"}}],
    }
