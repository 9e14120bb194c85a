// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

const (
	// namespaceVariable is set by the Deployment.
	namespaceVariable = "POD_NAMESPACE"
	// namespaceFile is mounted with a ServiceAccount's token.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// ownNamespace is where the operator runs; outside of a cluster, where it would.
func ownNamespace(getenv func(string) string, read func(string) ([]byte, error)) string {
	if namespace := getenv(namespaceVariable); namespace != "" {
		return namespace
	}
	if raw, err := read(namespaceFile); err == nil {
		if namespace := strings.TrimSpace(string(raw)); namespace != "" {
			return namespace
		}
	}
	return apis.OperatorNamespace
}
