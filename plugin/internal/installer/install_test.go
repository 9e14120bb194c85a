// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		change func(*Options)
		want   string // empty: valid
	}{
		"the defaults are valid":      {func(*Options) {}, ""},
		"a dry run of the third kind": {func(o *Options) { o.DryRun = "yes" }, "--dry-run"},
		"an image with a space":       {func(o *Options) { o.Choices.Image = "a b" }, "white space"},
		"no operator at all":          {func(o *Options) { o.Choices.Replicas = new(int32(0)) }, "--replicas"},
		"no time to wait":             {func(o *Options) { o.Timeout = 0 }, "--timeout"},
		"a namespace that is none":    {func(o *Options) { o.Choices.WatchNamespaces = []string{"A"} }, `"A"`},
		"flags of the operator are taken": {
			func(o *Options) { o.Choices.Args = []string{"--metrics-secure", "--kube-api-qps=5"} }, "",
		},
		"one version is served": {func(o *Options) { o.Choices.ServedVersions = []string{"v1beta1"} }, ""},
		"the version that the operator uses is not": {
			func(o *Options) { o.Choices.ServedVersions = []string{"v1alpha1"} }, "--served-versions: v1beta1 must be served",
		},
		"no version at all":           {func(o *Options) { o.Choices.ServedVersions = []string{} }, "--served-versions"},
		"an argument that is no flag": {func(o *Options) { o.Choices.Args = []string{"metrics-secure"} }, "--arg"},
		"variables are taken":         {func(o *Options) { o.Choices.Env = []string{"A=", "OTEL_B=c=d"} }, ""},
		"a variable without a value":  {func(o *Options) { o.Choices.Env = []string{"A"} }, "--env"},
		"a variable without a name":   {func(o *Options) { o.Choices.Env = []string{"=a"} }, "--env"},
		"a variable with a space":     {func(o *Options) { o.Choices.Env = []string{"A B=c"} }, "--env"},
		"a variable of the manifests": {func(o *Options) { o.Choices.Env = []string{"POD_NAMESPACE=a"} }, "POD_NAMESPACE"},
		"two flags in one argument":   {func(o *Options) { o.Choices.Args = []string{"--a --b"} }, "--arg"},
		"a router's flags are checked alike": {
			func(o *Options) { o.Choices.RouterArgs = []string{"resume-on-request"} }, "--router-arg",
		},
		"a router's image with a space": {func(o *Options) { o.Choices.RouterImage = "a b" }, "white space"},
		"a router in a namespace that is none": {
			func(o *Options) { o.Choices.RouterNamespaces = []string{"A"} }, `"A"`,
		},
		"a flag with a space": {func(o *Options) { o.Choices.Args = []string{"--kube-api-qps 5"} }, "--arg"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := &Options{DryRun: dryRunNone, Timeout: time.Minute, Choices: Choices{Image: "x"}}
			test.change(o)
			err := o.Validate()
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}
