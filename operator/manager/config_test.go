// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"flag"
	"io"
	"strings"
	"testing"
)

func TestDefaultsAreValidAndSilent(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	if w := Defaults().Warnings(); len(w) > 0 {
		t.Errorf("warnings: %v", w)
	}
}

func TestEachMistakeIsReportedWithItsFlagAndAllAtOnce(t *testing.T) {
	mistakes := map[string][]string{
		"cluster-domain":             {"--cluster-domain=not a domain", "--cluster-domain="},
		"metrics-bind-address":       {"--metrics-bind-address=8080", "--metrics-bind-address=:x", "--metrics-bind-address="},
		"health-probe-bind-address":  {"--health-probe-bind-address=:99999", "--health-probe-bind-address=0"},
		"leader-election-namespace":  {"--leader-election-namespace=A_B"},
		"kube-api-qps":               {"--kube-api-qps=0", "--kube-api-qps=-2"},
		"kube-api-burst":             {"--kube-api-burst=0", "--kube-api-burst=-1"},
		"sandbox-concurrent-workers": {"--sandbox-concurrent-workers=0", "--sandbox-concurrent-workers=-5"},
	}
	parse := func(args ...string) Config {
		c, flags := Defaults(), flag.NewFlagSet("operator", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		c.AddFlags(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		return c
	}
	var all []string
	for name, wrong := range mistakes {
		all = append(all, wrong[0])
		for _, arg := range wrong {
			t.Run(arg, func(t *testing.T) {
				err := parse(arg).Validate()
				if err == nil || !strings.Contains(err.Error(), "--"+name+" ") {
					t.Errorf("error is %v", err)
				}
			})
		}
	}
	err := parse(all...).Validate()
	for name := range mistakes {
		if !strings.Contains(err.Error(), "--"+name+" ") {
			t.Errorf("--%s is not among the mistakes: %v", name, err)
		}
	}
	flags := flag.NewFlagSet("operator", flag.ContinueOnError)
	c := Defaults()
	c.AddFlags(flags)
	flags.VisitAll(func(f *flag.Flag) {
		if _, tested := mistakes[f.Name]; !tested && f.Name != "leader-elect" {
			t.Errorf("flag --%s has no row here", f.Name)
		}
	})
}

func TestWarnings(t *testing.T) {
	tests := map[string]struct {
		config Config
		want   int
	}{
		"more workers than burst under a limit wait for the client":      {Config{KubeAPIQPS: 5, KubeAPIBurst: 10, SandboxConcurrentWorkers: 11}, 1},
		"without a limit the burst does not matter":                      {Config{KubeAPIQPS: -1, KubeAPIBurst: 10, SandboxConcurrentWorkers: 11}, 0},
		"a thousand workers are a thousand requests to the API server":   {Config{KubeAPIQPS: -1, KubeAPIBurst: 10, SandboxConcurrentWorkers: 1001}, 1},
		"both warnings come together when both apply to the same config": {Config{KubeAPIQPS: 1, KubeAPIBurst: 10, SandboxConcurrentWorkers: 1001}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.config.Warnings(); len(got) != tt.want {
				t.Errorf("warnings: %v", got)
			}
		})
	}
}
