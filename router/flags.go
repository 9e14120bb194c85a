// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"flag"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// CommandLine holds all flags of the program.
type CommandLine struct {
	Config

	Logging zap.Options
	Version bool // print the version and exit
}

// AddFlags registers all flags.
func (c *CommandLine) AddFlags(flags *flag.FlagSet) {
	c.Config.AddFlags(flags)
	c.Logging.BindFlags(flags)
	flags.BoolVar(&c.Version, "version", false, "Print the version and exit.")
}

// Flag is one setting. DefaultReason says why the default has its value.
type Flag struct {
	Name, Usage, DefaultReason string

	value any // a pointer into a Config
}

// Flags returns all flags except --version and those of zap.
func (c *Config) Flags() []Flag {
	return append(c.servingFlags(), c.accessFlags()...)
}

func (c *Config) servingFlags() []Flag {
	return []Flag{
		{"bind-address", "Address that sandboxes are reached at.", "The port of the Service.", &c.BindAddress},
		{"probe-bind-address", "Address of /metrics, /readyz and /livez.",
			"Another port, which no client has to reach.", &c.ProbeBindAddress},
		{"tls-cert-file", "Certificate (PEM) of the router. A changed file is read again.",
			"Without it, the router speaks plain HTTP.", &c.TLSCertFile},
		{"tls-key-file", "Key of the certificate.", "As for the certificate.", &c.TLSKeyFile},
		{"access-log", "Log each request.", "Who reached which sandbox should be known afterwards.", &c.AccessLog},
		{"enable-tracing", "Export OpenTelemetry traces over OTLP/gRPC. Also OTEL_EXPORTER_OTLP_ENDPOINT.",
			"It needs a collector.", &c.EnableTracing},
		{"watch-namespaces", "Namespaces whose sandboxes are served. The flag can be repeated.",
			"All namespaces.", &c.WatchNamespaces},
		{"cluster-domain", "Domain of the cluster, for the names of Services. Also CLUSTER_DOMAIN.",
			"That of most clusters.", &c.ClusterDomain},
		{"proxy-timeout", "Time until a response begins, for clients that do not say it. Also PROXY_TIMEOUT_SECONDS.",
			"Clients wait as long.", &c.ProxyTimeout},
		{"resume-on-request", "Resume a suspended sandbox that gets a request.",
			"Whoever may only reach a sandbox should not start it.", &c.ResumeOnRequest},
		{"stall-timeout", "End a response that its client does not take for that long.",
			"Longer than a pause of a person, shorter than a working day.", &c.StallTimeout},
		{"drain-delay", "Time between the signal to end and the end of new connections.",
			"Endpoints have been updated everywhere by then.", &c.DrainDelay},
		{"drain-timeout", "Time for running requests afterwards.",
			"With the delay, less than a termination grace period of 40 seconds.", &c.DrainTimeout},
	}
}

func (c *Config) accessFlags() []Flag {
	return []Flag{
		{"allow-unauthenticated", "Let EVERYBODY who can reach the router use every sandbox.",
			"A sandbox runs whatever it is told to.", &c.AllowUnauthenticated},
		{"token-audiences", "Audiences that a token of Kubernetes must have one of. The flag can be repeated.",
			"The audience of the API server: tokens of kubectl and of Pods.", &c.Audiences},
		{"review-ttl", "Time for which answers of the API server about tokens and permissions are kept.",
			"A permission that is taken away has no effect any more after that time.", &c.ReviewTTL},
		{"token-file", "File with a static token that opens all sandboxes.", "There is none.", &c.TokenFile},
		{"signing-key-file", "File with the key for scoped tokens, at least 32 random bytes.",
			"Without it, there are no scoped tokens.", &c.SigningKeyFile},
		{"previous-signing-key-file", "File with the key before. Tokens that it signed stay valid.",
			"Only a change of keys needs it.", &c.PreviousSigningKeyFile},
		{"max-token-ttl", "Longest validity of a scoped token.", "A working day of an agent.", &c.MaxTokenTTL},
	}
}

// AddFlags registers the flags of the Config. Its current values are the defaults.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	for _, f := range c.Flags() {
		switch value := f.value.(type) {
		case *string:
			flags.StringVar(value, f.Name, *value, f.Usage)
		case *bool:
			flags.BoolVar(value, f.Name, *value, f.Usage)
		case *time.Duration:
			flags.DurationVar(value, f.Name, *value, f.Usage)
		case *[]string:
			flags.Func(f.Name, f.Usage, func(text string) error {
				*value = append(*value, strings.Split(text, ",")...)
				return nil
			})
		}
	}
}
