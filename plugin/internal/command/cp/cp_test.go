// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/transfer"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestWhatALostCopySays(t *testing.T) {
	lost := fmt.Errorf("x: %w", &stream.LostError{})
	f := &fake.Factory{In: "team", InGiven: true}
	tests := map[string]struct {
		options Options
		err     error
		left    string
		code    int
		want    string
	}{
		"with the command that resumes": {
			Options{Sources: []string{"my file"}, Destination: "dev:/w/x", Container: "side"}, lost, "/w/.kubectl-sandbox-1",
			cli.ExitConnectionLost,
			"what has arrived is in dev:/w/.kubectl-sandbox-1; the copy is incomplete; to continue it: " +
				"kubectl sandbox cp 'my file' dev:/w/x --resume -c side -n team",
		},
		"with all sources, and what was left out": {
			Options{
				Sources: []string{"a", "b", "c", "d"}, Destination: "dev:/w", Filter: transfer.Filter{
					Exclude: []string{"*.log"}, AllFilesystems: true,
				},
			}, lost, "", cli.ExitConnectionLost,
			"copy a, b and 2 more to dev:/w: x: " + (&stream.LostError{}).Error() +
				"; the copy is incomplete; to continue it: " +
				"kubectl sandbox cp a b c d dev:/w --resume --exclude '*.log' --all-filesystems -n team",
		},
		"a copy of a stream is not resumed": {
			Options{Sources: []string{"-"}, Destination: "dev:/w/x"}, lost, "", cli.ExitConnectionLost,
			"the copy is incomplete",
		},
		"an interrupted copy says where the arrived part is": {
			Options{Sources: []string{"dev:/w/x"}, Destination: "y"}, context.Canceled, "./.kubectl-sandbox-1",
			cli.ExitInterrupted, "arrived is in ./.kubectl-sandbox-1",
		},
		"any other failure exits with 1": {
			Options{Sources: []string{"dev:/w/x"}, Destination: "y"}, errors.New("full"), "", cli.ExitFailed,
			"copy dev:/w/x to y: full",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.options.Validate(); err != nil {
				t.Fatal(err)
			}
			err := tt.options.failure(tt.err, tt.left, f)
			if cli.ExitCode(err) != tt.code || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%d: %v", cli.ExitCode(err), err)
			}
		})
	}
}

func TestWhatIsCopiedWhere(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.Exec = fakeserver.Local(there, "sh", "tar", "cat")
	dev := builders.Sandbox("dev", builders.WithUID("1"))
	cluster := fakecluster.New(dev, builders.Pod(
		"dev", builders.OwnedBy(dev), builders.Ready(), builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash("dev")),
	))
	f := &fake.Factory{
		Config: server.Config(), SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}
	t.Setenv("HOME", there)
	for _, name := range []string{
		filepath.Join(here, "a"), filepath.Join(here, "b"), filepath.Join(here, "d", "c"), filepath.Join(there, "x.log"),
		filepath.Join(there, "y.log"),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	a, b, d := filepath.Join(here, "a"), filepath.Join(here, "b"), filepath.Join(here, "d")
	for _, tt := range []struct {
		args []string
		want []string // below here, or there after a colon
	}{
		{[]string{a, b, d, "dev:up"}, []string{":up/a", ":up/b", ":up/d/c"}},
		{[]string{a, d, "dev:~/home", "--exclude", "c"}, []string{":home/a", ":home/d"}},
		{[]string{"dev:x.log", "dev:y.log", "dev:up/d", filepath.Join(here, "down")},
			[]string{"down/x.log", "down/y.log", "down/d/c"}},
		{[]string{"dev:*.log", filepath.Join(here, "logs")}, []string{"logs/x.log", "logs/y.log"}},
		{[]string{"dev:~/x*", filepath.Join(here, "one")}, []string{"one/x.log"}},
		{[]string{"dev:x.log", "dev:y.log", "sandbox/dev:over"}, []string{":over/x.log", ":over/y.log"}},
		{[]string{"dev:x.log", "dev:renamed"}, []string{":renamed"}},
	} {
		cmd := NewCommand(f, genericiooptions.NewTestIOStreamsDiscard())
		cmd.SetArgs(tt.args)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%q: %v", tt.args, err)
		}
		for _, want := range tt.want {
			path := filepath.Join(here, want)
			if name, remote := strings.CutPrefix(want, ":"); remote {
				path = filepath.Join(there, name)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%q: %v", tt.args, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(there, "home", "d", "c")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is excluded was copied: %v", err)
	}
}

func TestWrongUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"DST is missing":                          {"a"},
		"b and DST are on this machine":           {"dev:/a", "b", "dir"},
		`"-" stands for one file`:                 {"-", "a", "dev:/x"},
		"--exclude needs a directory":             {"-", "dev:/x", "--exclude", "a"},
		"only ~ of the container's own user":      {"a", "dev:~root/x"},
		`the pattern "**/x": ** is not supported`: {"a", "dev:/x", "--exclude", "**/x"},
		"the sources must be in one sandbox":      {"one:/a/x", "two:/b/x", "dir"},
	} {
		cmd := NewCommand(&fake.Factory{}, genericiooptions.NewTestIOStreamsDiscard())
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", args, err, want)
		}
	}
}
