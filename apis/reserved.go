// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

import "strings"

// ReservedKey says whether a label or annotation key lies under one of our two domains, or a subdomain of them: only the
// operator writes such keys.
func ReservedKey(key string) bool {
	domain, _, found := strings.Cut(key, "/")
	return found && (domain == GroupAgents || strings.HasSuffix(domain, "."+GroupAgents))
}

// ReservedLabel says whether a tenant's Pod may not carry this label: a reserved key, or the router's identity, which the
// default NetworkPolicy lets in.
func ReservedLabel(key, value string) bool {
	return ReservedKey(key) || (key == LabelApp && value == AppRouter)
}

// reservedDomains are Kubernetes' own and ours.
var reservedDomains = [...]string{"kubernetes.io", "k8s.io", GroupAgents}

// ReservedDomain is the domain because of which a claim may not set a label or annotation key and a template does not hand one on,
// or empty: the domains of Kubernetes and ours, with their subdomains.
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
