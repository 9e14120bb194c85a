// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

const (
	// namespaceVariable is the environment variable that the Deployment sets.
	namespaceVariable = "POD_NAMESPACE"
	// namespaceFile is mounted with the token of a ServiceAccount.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// ownNamespace returns the namespace that the operator runs in. Outside of a cluster it returns the default one.
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
