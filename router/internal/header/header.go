// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package header parses the headers that say which sandbox a request is for.
package header

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
)

// maxTimeout is the longest time that a client may wait for the beginning of a response.
const maxTimeout = 24 * time.Hour

// maxUID is longer than every UID that Kubernetes assigns.
const maxUID = 64

// Address says which port of which sandbox a request is for.
type Address struct {
	Namespace string
	Name      string // of a claim or a Sandbox
	UID       types.UID
	Port      uint16
	PodIP     netip.Addr    // invalid: not given
	Timeout   time.Duration // 0: not given
}

// Parse reads the headers. The error is a *reply.Error with status 400.
func Parse(headers http.Header) (Address, error) {
	a := Address{Namespace: apis.DefaultSandboxNamespace, Port: apis.DefaultSandboxPort}
	for _, field := range [...]struct {
		name  string
		parse func(*Address, string) string // returns what is wrong, or ""
	}{
		{apis.HeaderSandboxID, parseName},
		{apis.HeaderSandboxNamespace, parseNamespace},
		{apis.HeaderSandboxPort, parsePort},
		{apis.HeaderSandboxPodIP, parsePodIP},
		{apis.HeaderSandboxUID, parseUID},
		{apis.HeaderSandboxTimeout, parseTimeout},
	} {
		values := headers.Values(field.name)
		if len(values) == 0 {
			continue
		}
		if len(values) > 1 {
			return Address{}, reply.Errorf(http.StatusBadRequest, "%s header is given more than once.", field.name)
		}
		if wrong := field.parse(&a, values[0]); wrong != "" {
			return Address{}, reply.Errorf(http.StatusBadRequest, "%s header %s.", field.name, wrong)
		}
	}
	if a.Name == "" {
		return Address{}, reply.Errorf(http.StatusBadRequest, "%s header is required.", apis.HeaderSandboxID)
	}
	return a, nil
}

func parseName(a *Address, value string) string {
	if value == "" {
		return "is required"
	}
	if !ValidName(value) {
		return "is not the name of a sandbox: at most 253 lower-case letters, digits, hyphens and dots"
	}
	a.Name = value
	return ""
}

// ValidName reports whether an object may have this name.
func ValidName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

func parseNamespace(a *Address, value string) string {
	if !ValidNamespace(value) {
		return "is not the name of a namespace: at most 63 lower-case letters, digits and hyphens"
	}
	a.Namespace = value
	return ""
}

// ValidNamespace reports whether a namespace may have this name.
func ValidNamespace(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

func parsePort(a *Address, value string) string {
	port, err := strconv.ParseUint(value, 10, 16)
	if err != nil || port == 0 {
		return "is not a port: a number from 1 to 65535"
	}
	a.Port = uint16(port)
	return ""
}

func parsePodIP(a *Address, value string) string {
	ip, err := netip.ParseAddr(value)
	if err != nil || ip.Zone() != "" {
		return "is not an IP address, without a port and without brackets"
	}
	a.PodIP = ip.Unmap()
	return ""
}

func parseUID(a *Address, value string) string {
	if value == "" || len(value) > maxUID || strings.Trim(value,
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" {
		return "is not the UID of a claim or a Sandbox"
	}
	a.UID = types.UID(value)
	return ""
}

func parseTimeout(a *Address, value string) string {
	timeout, ok := Seconds(value)
	if !ok {
		return "is not a number of seconds, more than 0 and at most 86400"
	}
	a.Timeout = timeout
	return ""
}

// Seconds parses a positive decimal number of seconds of at most a day.
func Seconds(value string) (time.Duration, bool) {
	if len(value) > 32 || strings.Trim(value, "0123456789.") != "" {
		return 0, false // neither exponents nor Inf
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || seconds > maxTimeout.Seconds() {
		return 0, false
	}
	timeout := time.Duration(seconds * float64(time.Second))
	return timeout, timeout > 0
}
