// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

// Headers of a request to the router. They say which sandbox the request is for.
const (
	// HeaderSandboxID is the name of a claim or a Sandbox. It is required.
	HeaderSandboxID = "X-Sandbox-ID"
	// HeaderSandboxNamespace is its namespace; DefaultSandboxNamespace if unset.
	HeaderSandboxNamespace = "X-Sandbox-Namespace"
	// HeaderSandboxPort is the port in the sandbox; DefaultSandboxPort if unset.
	HeaderSandboxPort = "X-Sandbox-Port"
	// HeaderSandboxPodIP is the address that the client knows. It only chooses between the addresses of the sandbox.
	HeaderSandboxPodIP = "X-Sandbox-Pod-IP"
	// HeaderSandboxUID is the UID of the claim or the Sandbox. Another one of the same name does not get the request.
	HeaderSandboxUID = "X-Sandbox-UID"
	// HeaderSandboxTimeout is the time in seconds that the client waits for the beginning of the response.
	HeaderSandboxTimeout = "X-Sandbox-Timeout"
)

// Values of the headers that are not set.
const (
	DefaultSandboxNamespace = "default"
	DefaultSandboxPort      = 8888
)

// The Service of a router.
const (
	ServiceRouter     = "sandbox-router-svc"
	ServiceRouterPort = 8080
)
