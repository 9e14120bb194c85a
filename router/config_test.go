// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func parsed(t *testing.T, args ...string) Config {
	t.Helper()
	c, flags := Defaults(), flag.NewFlagSet("router", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultsAreValid(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	if Defaults().AllowUnauthenticated || Defaults().ResumeOnRequest {
		t.Error("the defaults allow too much")
	}
}

func TestEachMistakeIsReportedWithItsFlagAndAllAtOnce(t *testing.T) {
	mistakes := []string{
		"--bind-address=8080", "--probe-bind-address=:x", "--tls-cert-file=a", "--watch-namespaces=fine,A_B",
		"--cluster-domain=not a domain", "--previous-signing-key-file=a", "--proxy-timeout=0s", "--review-ttl=-1s",
		"--max-token-ttl=0s", "--stall-timeout=0s", "--drain-delay=-1s", "--drain-timeout=25h",
	}
	all := parsed(t, mistakes...).Validate()
	for _, arg := range append(mistakes, "--review-ttl=6m", "--proxy-timeout=25h", "--bind-address=:99999",
		"--watch-namespaces=") {
		name, _, _ := strings.Cut(arg, "=")
		if err := parsed(t, arg).Validate(); err == nil || !strings.Contains(err.Error(), name+" ") {
			t.Errorf("%s: %v", arg, err)
		}
		if !strings.Contains(all.Error(), name+" ") {
			t.Errorf("%s is not among the mistakes: %v", name, all)
		}
	}
	if err := parsed(t, "--tls-key-file=a").Validate(); err == nil {
		t.Error("a key without a certificate")
	}
}

func TestTheEnvironmentSetsDefaultsThatFlagsOverride(t *testing.T) {
	tests := map[string]struct {
		timeout, domain string
		want            Config
		warnings        int
	}{
		"both": {"1.5", "example.org", Config{ProxyTimeout: 1500 * time.Millisecond,
			ClusterDomain: "example.org"}, 0},
		"what is no number": {"soon", "example.org", Config{ProxyTimeout: 180 * time.Second,
			ClusterDomain: "example.org"}, 1},
		"what is not positive": {"0", "example.org", Config{ProxyTimeout: 180 * time.Second,
			ClusterDomain: "example.org"}, 1},
		"what is empty, as in a shell": {"", "", Config{ProxyTimeout: 180 * time.Second, ClusterDomain: "cluster.local"}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := Defaults()
			warnings := c.Environment(func(name string) (string, bool) {
				return map[string]string{"PROXY_TIMEOUT_SECONDS": tt.timeout, "CLUSTER_DOMAIN": tt.domain}[name], true
			})
			if c.ProxyTimeout != tt.want.ProxyTimeout || c.ClusterDomain != tt.want.ClusterDomain ||
				len(warnings) != tt.warnings {
				t.Errorf("%s %s %v", c.ProxyTimeout, c.ClusterDomain, warnings)
			}
		})
	}
	c := Defaults()
	c.Environment(func(name string) (string, bool) { return "http://x:4317", name == "OTEL_EXPORTER_OTLP_ENDPOINT" })
	if !c.EnableTracing {
		t.Error("a collector does not turn tracing on")
	}
	if warnings := c.Environment(func(string) (string, bool) { return "", false }); warnings != nil ||
		c.ProxyTimeout != 180*time.Second || c.EnableTracing {
		t.Errorf("without them: %v", warnings)
	}
}

func TestWarnings(t *testing.T) {
	for arg, want := range map[string]string{
		"--allow-unauthenticated": "EVERYBODY", "--access-log": "clear text", "--tls-cert-file=a": "",
	} {
		got := strings.Join(parsed(t, arg).Warnings(), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", arg, got)
		}
	}
}

func TestListsComeWithCommasOrRepeated(t *testing.T) {
	got := parsed(t, "--watch-namespaces=one,two", "--watch-namespaces=three").WatchNamespaces
	if !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("watched: %v", got)
	}
}

func TestTheGuideHasEachFlagWithItsDefaultAndTheReason(t *testing.T) {
	guide, err := os.ReadFile("../docs/guides/router.md")
	if err != nil {
		t.Fatal(err)
	}
	c, flags := Defaults(), flag.NewFlagSet("router", flag.ContinueOnError)
	c.AddFlags(flags)
	for _, f := range c.Flags() {
		value := flags.Lookup(f.Name).DefValue
		if value == "" {
			value = `""`
		}
		row := fmt.Sprintf("| `--%s` | `%s` | %s | %s |", f.Name, value, f.Usage, f.DefaultReason)
		if f.Usage == "" || f.DefaultReason == "" || !strings.Contains(string(guide), row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
}
