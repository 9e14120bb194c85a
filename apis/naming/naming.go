// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package naming derives the names and hashes that tie objects to each other. Every rule is a pure function; two parts of
// the system that need the same name call the same one.
package naming

import (
	"fmt"
	"hash/fnv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Limits on names, in bytes, that follow from names derived from them.
const (
	// MaxPoolName leaves room for the five random characters of a member's name within a DNS label.
	MaxPoolName = validation.DNS1123LabelMaxLength - len("-xxxxx")
	// MaxTemplateName leaves room for the suffix of the template's NetworkPolicy.
	MaxTemplateName = validation.DNS1123SubdomainMaxLength - len(networkPolicySuffix)
)

const networkPolicySuffix = "-network-policy"

// Hash is the eight lower-case hexadecimal digits of the 32-bit FNV-1a hash of a name: short enough for any label value.
// Two names may share a hash, so nothing may rest on it alone.
func Hash(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails to take bytes
	return fmt.Sprintf("%08x", h.Sum32())
}

// PersistentVolumeClaim is the name of the PersistentVolumeClaim that a template of a Sandbox gives.
func PersistentVolumeClaim(template, sandbox string) string { return template + "-" + sandbox }

// NetworkPolicy is the name of the NetworkPolicy shared by all Sandboxes of a template.
func NetworkPolicy(template string) string { return template + networkPolicySuffix }

// TemplateOf is the template whose NetworkPolicy has the name; false if no template's has.
func TemplateOf(networkPolicy string) (string, bool) {
	template, ok := strings.CutSuffix(networkPolicy, networkPolicySuffix)
	return template, ok && template != ""
}

// ServiceFQDN is the fully qualified domain name of a Service.
func ServiceFQDN(service, namespace, clusterDomain string) string {
	return strings.Join([]string{service, namespace, "svc", clusterDomain}, ".")
}
