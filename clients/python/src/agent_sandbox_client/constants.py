# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Names on the wire, each spelled once."""

CLAIM_API_GROUP = "extensions.agents.x-k8s.io"
CLAIM_API_VERSION = "v1beta1"
CLAIM_PLURAL_NAME = "sandboxclaims"

SANDBOX_API_GROUP = "agents.x-k8s.io"
SANDBOX_API_VERSION = "v1beta1"
SANDBOX_PLURAL_NAME = "sandboxes"

GATEWAY_API_GROUP = "gateway.networking.k8s.io"
GATEWAY_API_VERSION = "v1"
GATEWAY_PLURAL = "gateways"

POD_NAME_ANNOTATION = "agents.x-k8s.io/pod-name"
FIRST_REQUESTED_ANNOTATION = "agents.x-k8s.io/client-first-requested-at"
TRACE_CONTEXT_ANNOTATION = "opentelemetry.io/trace-context"
SANDBOX_NAME_HASH_LABEL = "agents.x-k8s.io/sandbox-name-hash"

ROUTER_SERVICE = "sandbox-router-svc"
ROUTER_PORT = 8080
OPERATOR_NAMESPACE = "agent-sandbox-system"

#: The port on which sandboxes serve commands and files.
RUNTIME_PORT = 8888

#: Environment variables with the token for the router, or the path of a file with it.
ROUTER_TOKEN_VARIABLE = "SANDBOX_ROUTER_TOKEN"
ROUTER_TOKEN_FILE_VARIABLE = "SANDBOX_ROUTER_TOKEN_FILE"
