// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package router is the data-plane entry for sandboxes: one address for thousands of short-lived ones. It finds out
// from the headers of a request which sandbox it is for, decides whether the caller may reach it, and sends it on.
//
// Packages of internal have the invariants: book (who is where), access (who may what), proxy (how it is sent on).
package router

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis/otlp"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
)

// Config holds all settings of the router.
type Config struct {
	BindAddress      string
	ProbeBindAddress string // metrics and probes
	TLSCertFile      string // with TLSKeyFile; both empty: no TLS
	TLSKeyFile       string
	AccessLog        bool
	EnableTracing    bool

	WatchNamespaces []string // empty: all namespaces
	ClusterDomain   string
	ProxyTimeout    time.Duration // until a response begins, if the client does not say it
	ResumeOnRequest bool

	AllowUnauthenticated   bool
	Audiences              []string // of tokens of Kubernetes; empty: that of the API server
	ReviewTTL              time.Duration
	TokenFile              string // with the static token; empty: there is none
	SigningKeyFile         string // for scoped tokens; empty: there are none
	PreviousSigningKeyFile string
	MaxTokenTTL            time.Duration

	StallTimeout time.Duration // for a client that does not take its response
	DrainDelay   time.Duration
	DrainTimeout time.Duration
}

// Defaults returns the default Config. Config.Flags has the reason for each default.
func Defaults() Config {
	return Config{
		BindAddress:      ":8080",
		ProbeBindAddress: ":8081",
		AccessLog:        true,
		ClusterDomain:    "cluster.local",
		ProxyTimeout:     180 * time.Second,
		ReviewTTL:        10 * time.Second,
		MaxTokenTTL:      24 * time.Hour,
		StallTimeout:     5 * time.Minute,
		DrainDelay:       5 * time.Second,
		DrainTimeout:     30 * time.Second,
	}
}

// Environment sets what the environment variables PROXY_TIMEOUT_SECONDS and CLUSTER_DOMAIN say, and enables tracing if
// they name a collector. A value that cannot be used is ignored and returned as a warning, as the clients of this
// contract expect.
func (c *Config) Environment(lookup func(string) (string, bool)) (warnings []string) {
	c.EnableTracing = otlp.Enabled(lookup)
	if text, ok := lookup("PROXY_TIMEOUT_SECONDS"); ok {
		if timeout, ok := header.Seconds(text); ok {
			c.ProxyTimeout = timeout
		} else {
			warnings = append(warnings,
				"PROXY_TIMEOUT_SECONDS is not a number of seconds, more than 0 and at most 86400: ignored")
		}
	}
	if text, ok := lookup("CLUSTER_DOMAIN"); ok {
		if len(validation.IsDNS1123Subdomain(text)) == 0 {
			c.ClusterDomain = text
		} else {
			warnings = append(warnings, "CLUSTER_DOMAIN is not a domain: ignored")
		}
	}
	return warnings
}

// Validate returns all errors at once, each with its flag.
func (c Config) Validate() error {
	var errs []error
	invalid := func(flag, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--%s "+format, append([]any{flag}, args...)...))
	}
	for flag, address := range map[string]string{
		"bind-address": c.BindAddress, "probe-bind-address": c.ProbeBindAddress,
	} {
		if _, port, err := net.SplitHostPort(address); err != nil || !isPort(port) {
			invalid(flag, "%q: want host:port or :port", address)
		}
	}
	if (c.TLSCertFile == "") != (c.TLSKeyFile == "") {
		invalid("tls-cert-file", "goes together with --tls-key-file")
	}
	for _, namespace := range c.WatchNamespaces {
		if !header.ValidNamespace(namespace) {
			invalid("watch-namespaces", "%q is not a namespace", namespace)
		}
	}
	if problems := validation.IsDNS1123Subdomain(c.ClusterDomain); len(problems) > 0 {
		invalid("cluster-domain", "%q is not a domain: %s", c.ClusterDomain, strings.Join(problems, ", "))
	}
	if c.PreviousSigningKeyFile != "" && c.SigningKeyFile == "" {
		invalid("previous-signing-key-file", "needs --signing-key-file")
	}
	c.validateTimes(invalid)
	return errors.Join(errs...)
}

func isPort(text string) bool {
	_, err := net.LookupPort("tcp", text)
	return err == nil
}

func (c Config) validateTimes(invalid func(flag, format string, args ...any)) {
	for _, limit := range []struct {
		flag            string
		is, least, most time.Duration
	}{
		{"proxy-timeout", c.ProxyTimeout, time.Millisecond, 24 * time.Hour},
		{"review-ttl", c.ReviewTTL, 0, 5 * time.Minute},
		{"max-token-ttl", c.MaxTokenTTL, time.Second, 30 * 24 * time.Hour},
		{"stall-timeout", c.StallTimeout, time.Second, 24 * time.Hour},
		{"drain-delay", c.DrainDelay, 0, time.Hour},
		{"drain-timeout", c.DrainTimeout, 0, 24 * time.Hour},
	} {
		if limit.is < limit.least || limit.is > limit.most {
			invalid(limit.flag, "%s: want %s to %s", limit.is, limit.least, limit.most)
		}
	}
}

// Warnings returns what an administrator should know about valid settings.
func (c Config) Warnings() []string {
	var all []string
	if c.AllowUnauthenticated {
		all = append(all, "--allow-unauthenticated: EVERYBODY who can reach the router can run commands in every sandbox")
	}
	if c.TLSCertFile == "" && !c.AllowUnauthenticated {
		all = append(all, "without --tls-cert-file, tokens pass in clear text: keep the router behind a gateway with TLS")
	}
	return all
}
