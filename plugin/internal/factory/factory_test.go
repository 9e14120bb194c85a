// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory_test

import (
	"bytes"
	"testing"

	"github.com/spf13/pflag"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

func TestProgramName(t *testing.T) {
	tests := map[string]struct{ argv0, want string }{
		"a plugin is called through kubectl":           {argv0: "/usr/local/bin/kubectl-sandbox", want: "kubectl sandbox"},
		"an underscore in the file's name is a hyphen": {argv0: "kubectl-agent_sandbox", want: "kubectl agent-sandbox"},
		"Windows adds an ending":                       {argv0: `C:\bin\kubectl-sandbox.exe`, want: "kubectl sandbox"},
		"the completer completes the plugin":           {argv0: "kubectl_complete-sandbox", want: "kubectl sandbox"},
		"any other file is called by its name":         {argv0: "./sbx", want: "sbx"},
		"no name at all is the usual one":              {argv0: "", want: "kubectl sandbox"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := factory.ProgramName(tt.argv0); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestColor(t *testing.T) {
	tests := map[string]struct {
		args []string
		want bool
	}{
		"what is no terminal is not coloured": {},
		"always is always":                    {args: []string{"--color=always"}, want: true},
		"never is never":                      {args: []string{"--color=never"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			f := factory.New("kubectl sandbox", clock.RealClock{}, &out)
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			f.AddFlags(flags)
			if err := flags.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			if got := f.Color(&out); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTheNamespaceOfTheCommandLineIsExplicit(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	f := factory.New("kubectl sandbox", clock.RealClock{}, &bytes.Buffer{})
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.AddFlags(flags)
	if err := flags.Parse([]string{"-n", "team"}); err != nil {
		t.Fatal(err)
	}
	if namespace, explicit, err := f.Namespace(); namespace != "team" || !explicit || err != nil {
		t.Errorf("got %q, %v, %v", namespace, explicit, err)
	}
}
