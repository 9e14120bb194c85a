// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package naming derives the names and hashes that connect objects. Its functions are pure, and each rule exists only
// here.
package naming

import (
	"fmt"
	"hash/fnv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Maximum lengths of names, in bytes, from which other names are derived.
const (
	// MaxPoolName leaves room for the five random characters of a member's name within a DNS label.
	MaxPoolName = validation.DNS1123LabelMaxLength - len("-xxxxx")
	// MaxTemplateName leaves room for the suffix of the template's NetworkPolicy.
	MaxTemplateName = validation.DNS1123SubdomainMaxLength - len(networkPolicySuffix)
)

const networkPolicySuffix = "-network-policy"

// Hash returns the 32-bit FNV-1a hash of a name as eight lower-case hexadecimal digits, which is a valid label value.
// Two names may have the same hash, so it must never be the only criterion.
func Hash(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// PersistentVolumeClaim returns the name of the PersistentVolumeClaim for one of a Sandbox's volumeClaimTemplates.
func PersistentVolumeClaim(template, sandbox string) string { return template + "-" + sandbox }

// NetworkPolicy returns the name of the NetworkPolicy that all Sandboxes of a template share.
func NetworkPolicy(template string) string { return template + networkPolicySuffix }

// TemplateOf returns the name of the template whose NetworkPolicy has the given name, or false if no template's has.
func TemplateOf(networkPolicy string) (string, bool) {
	template, ok := strings.CutSuffix(networkPolicy, networkPolicySuffix)
	return template, ok && template != ""
}

// ServiceFQDN returns the fully qualified domain name of a Service.
func ServiceFQDN(service, namespace, clusterDomain string) string {
	return strings.Join([]string{service, namespace, "svc", clusterDomain}, ".")
}
