// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"flag"
	"io"
	"slices"
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

		"sandbox-claim-concurrent-workers": {"--sandbox-claim-concurrent-workers=0",
			"--sandbox-claim-concurrent-workers=-1"},
		"sandbox-warm-pool-concurrent-workers": {"--sandbox-warm-pool-concurrent-workers=0",
			"--sandbox-warm-pool-concurrent-workers=-1"},
		"sandbox-template-concurrent-workers": {"--sandbox-template-concurrent-workers=0",
			"--sandbox-template-concurrent-workers=-1"},
		"sandbox-warm-pool-max-batch-size": {"--sandbox-warm-pool-max-batch-size=0",
			"--sandbox-warm-pool-max-batch-size=-300"},
		"sandbox-warm-pool-readiness-grace-period": {"--sandbox-warm-pool-readiness-grace-period=0s",
			"--sandbox-warm-pool-readiness-grace-period=-5m"},
		"sandbox-warm-pool-unschedulable-recheck": {"--sandbox-warm-pool-unschedulable-recheck=0s",
			"--sandbox-warm-pool-unschedulable-recheck=-1m"},
		"sandbox-warm-pool-refill-rate": {
			"--sandbox-warm-pool-refill-rate=-1", "--sandbox-warm-pool-refill-rate=NaN", "--sandbox-warm-pool-refill-rate=+Inf",
		},
		"router-namespace":         {"--router-namespace=A_B", "--router-namespace="},
		"tenant-router-namespaces": {"--tenant-router-namespaces=A_B", "--tenant-router-namespaces="},
		"watch-namespaces":         {"--watch-namespaces=fine,A_B", "--watch-namespaces="},
		"metrics-cert-path":        {"--metrics-cert-path=/certs"},
		"metrics-cert-name":        {"--metrics-cert-name=", "--metrics-cert-name=a/b"},
		"metrics-cert-key":         {"--metrics-cert-key=", "--metrics-cert-key=../b"},
	}
	// These have no value that is wrong by itself; the endpoint that they need is judged below.
	free := []string{"leader-elect", "extensions", "separate-watch-connection", "enable-tracing", "metrics-secure",
		"enable-pprof",
		"enable-pprof-debug", "pprof-block-profile-rate", "pprof-mutex-profile-fraction"}
	parse := func(args ...string) Config { return parsed(t, args...) }
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
		if _, tested := mistakes[f.Name]; !tested && !slices.Contains(free, f.Name) {
			t.Errorf("flag --%s has no row here", f.Name)
		}
	})
}

func TestWhatIsServedBesideTheMetricsNeedsTheMetrics(t *testing.T) {
	for _, name := range []string{"metrics-secure", "enable-pprof", "enable-pprof-debug"} {
		if err := parsed(t, "--"+name).Validate(); err != nil {
			t.Errorf("--%s: %v", name, err)
		}
		err := parsed(t, "--"+name, "--metrics-bind-address=0").Validate()
		if err == nil || !strings.Contains(err.Error(), "--"+name+" ") {
			t.Errorf("--%s without metrics: %v", name, err)
		}
	}
}

func TestListsComeWithCommasOrRepeated(t *testing.T) {
	got := parsed(t, "--watch-namespaces=one,two", "--watch-namespaces=three").WatchNamespaces
	if !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("watched: %v", got)
	}
}

func TestAnEnvironmentWithACollectorTurnsTracingOnUnlessTheFlagDoesNot(t *testing.T) {
	c, flags := Defaults(), flag.NewFlagSet("operator", flag.ContinueOnError)
	c.Environment(func(name string) (string, bool) { return "http://x:4317", name == "OTEL_EXPORTER_OTLP_ENDPOINT" })
	c.AddFlags(flags)
	if err := flags.Parse(nil); err != nil || !c.EnableTracing {
		t.Errorf("%v, tracing: %v", err, c.EnableTracing)
	}
	if err := flags.Parse([]string{"--enable-tracing=false"}); err != nil || c.EnableTracing {
		t.Errorf("%v, with the flag: %v", err, c.EnableTracing)
	}
}

func TestEachFlagHasItsReason(t *testing.T) {
	config := Defaults()
	for _, section := range config.Sections() {
		for _, f := range section.Flags {
			if f.Usage == "" || f.DefaultReason == "" {
				t.Errorf("--%s: usage %q, why %q", f.Name, f.Usage, f.DefaultReason)
			}
		}
	}
}

func parsed(t *testing.T, args ...string) Config {
	t.Helper()
	c, flags := Defaults(), flag.NewFlagSet("operator", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWithoutExtensionsOnlySandboxesAreNeeded(t *testing.T) {
	if kinds := parsed(t).requiredKinds(); len(kinds) != 1 || kinds[0].crd != "sandboxes.agents.x-k8s.io" {
		t.Errorf("needed: %v", kinds)
	}
	if kinds := parsed(t, "--extensions").requiredKinds(); len(kinds) != 4 {
		t.Errorf("needed with extensions: %v", kinds)
	}
}

func TestRoutersAreLookedForWhereTheFlagsSay(t *testing.T) {
	t.Setenv("POD_NAMESPACE", "mine")
	if got := parsed(t).routers(); !slices.Equal(got.Everywhere, []string{"mine"}) || len(got.Tenants) > 0 {
		t.Errorf("without the flags: %v", got)
	}
	got := parsed(t, "--router-namespace=one", "--router-namespace=two", "--tenant-router-namespaces=a,b").routers()
	if !slices.Equal(got.Everywhere, []string{"one", "two"}) || !slices.Equal(got.Tenants, []string{"a", "b"}) {
		t.Errorf("with the flags: %v", got)
	}
}

func TestWarnings(t *testing.T) {
	tests := map[string]struct {
		config Config
		want   int
	}{
		"more workers than burst under a limit wait for the client": {Config{KubeAPIQPS: 5, KubeAPIBurst: 10,
			SandboxConcurrentWorkers: 11}, 1},
		"without a limit the burst does not matter": {Config{KubeAPIQPS: -1, KubeAPIBurst: 10,
			SandboxConcurrentWorkers: 11}, 0},
		"a thousand workers are a thousand requests to the API server": {Config{KubeAPIQPS: -1, KubeAPIBurst: 10,
			SandboxConcurrentWorkers: 1001}, 1},
		"workers that do not run do not count": {Config{KubeAPIQPS: -1, KubeAPIBurst: 10,
			SandboxConcurrentWorkers: 1000, SandboxClaimConcurrentWorkers: 1}, 0},
		"workers of all kinds count": {Config{KubeAPIQPS: -1, KubeAPIBurst: 10,
			Extensions: true, SandboxConcurrentWorkers: 1000, SandboxClaimConcurrentWorkers: 1}, 1},
		"profiles that show memory are worth a word": {Config{KubeAPIQPS: -1, SandboxConcurrentWorkers: 1,
			EnablePprofDebug: true}, 1},
		"both warnings come together when both apply to the same config": {Config{KubeAPIQPS: 1, KubeAPIBurst: 10,
			SandboxConcurrentWorkers: 1001}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.config.Warnings(); len(got) != tt.want {
				t.Errorf("warnings: %v", got)
			}
		})
	}
}
