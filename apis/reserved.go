// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

import "strings"

// ReservedKey reports whether a label or annotation key is under one of our two domains or a subdomain of them. Only
// the operator sets such keys.
func ReservedKey(key string) bool {
	domain, _, found := strings.Cut(key, "/")
	return found && (domain == GroupAgents || strings.HasSuffix(domain, "."+GroupAgents))
}

// ReservedLabel reports whether tenants may not set this label on a Pod: its key is reserved, or it is the label of the
// router, from which the default NetworkPolicy allows ingress.
func ReservedLabel(key, value string) bool {
	return ReservedKey(key) || (key == LabelApp && value == AppRouter)
}

// reservedDomains are the domains of Kubernetes and ours.
var reservedDomains = [...]string{"kubernetes.io", "k8s.io", GroupAgents}

// ReservedDomain returns the reserved domain that a label or annotation key is under, or "". Claims may not set such
// keys, and templates do not propagate them. Subdomains of the domains of Kubernetes and ours are reserved, too.
func ReservedDomain(key string) string {
	prefix, _, found := strings.Cut(key, "/")
	if !found {
		return ""
	}
	for _, domain := range reservedDomains {
		if prefix == domain || strings.HasSuffix(prefix, "."+domain) {
			return domain
		}
	}
	return ""
}
