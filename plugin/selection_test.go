// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var selectionTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// twoNamespaces returns, in namespace one, a claim and a Sandbox of team a, with Pods, a Sandbox of team b and a pool's
// member; and in namespace two a Sandbox of team a.
func twoNamespaces() *fakecluster.Cluster {
	one, two, team := b.InNamespace("one"), b.InNamespace("two"), b.WithLabel("team", "a")
	end := selectionTime.Add(time.Hour)
	pool := b.Pool("warm", "t", one, b.WithUID("pool"))
	claim := b.Claim("dev", "t", one, team, b.WithUID("dev"), b.BoundTo("held"), b.WithClaimShutdown(end, "Delete"))
	held := b.Sandbox("held", one, team, b.WithUID("held"), b.OwnedBy(claim))
	own := b.Sandbox("own", one, team, b.WithUID("own"), b.WithShutdown(end, "Delete"))
	far := b.Sandbox("far", two, team, b.WithUID("far"), b.WithShutdown(end, "Delete"))
	other := b.Sandbox("other", one, b.WithLabel("team", "b"), b.WithUID("other"), b.WithShutdown(end, "Delete"))
	member := b.Sandbox("warm-1", one, team, b.WithUID("member"), b.OwnedBy(pool))
	heldPod := b.Pod("held", one, b.WithUID("p1"), b.OwnedBy(held), b.Ready(),
		b.WithLabel(apis.LabelSandboxNameHash, naming.Hash("held")))
	ownPod := b.Pod("own", one, b.WithUID("p2"), b.OwnedBy(own), b.Ready(),
		b.WithLabel(apis.LabelSandboxNameHash, naming.Hash("own")))
	return fakecluster.New(pool, claim, held, own, far, other, member, heldPod, ownPod)
}

// runInOne runs a command line in namespace one.
func runInOne(t *testing.T, line string) (code int, out, errOut string) {
	t.Helper()
	cluster := twoNamespaces()
	var stdout, stderr bytes.Buffer
	f := &fake.Factory{
		In: "one", Time: clocktesting.NewFakeClock(selectionTime),
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}
	root := newCommand(f, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr})
	code = execute(t.Context(), root, strings.Fields(line), f, &stderr)
	return code, stdout.String(), stderr.String()
}

// sortedLines returns the lines of a text in order: commands work on several objects at a time.
func sortedLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestEveryCommandThatTakesSandboxesSelectsThemTheSameWay(t *testing.T) {
	for _, command := range []string{
		"delete --yes", "describe", "extend --by 1h", "logs", "resume", "status", "suspend", "tree",
		"wait --for ready --timeout 0s",
	} {
		t.Run(command, func(t *testing.T) {
			tests := map[string]struct {
				with        string
				found, left []string
				wrong       string
			}{
				"-l selects by label, without the members of pools": {
					with: " -l team=a", found: []string{"dev", "own"}, left: []string{"other", "far", "warm-1"},
				},
				"--all selects in the namespace": {
					with: " --all", found: []string{"dev", "own", "other"}, left: []string{"far", "warm-1"},
				},
				"-A selects in all namespaces": {
					with: " -l team=a -A", found: []string{"dev", "own", "far"}, left: []string{"other", "warm-1"},
				},
				"several names":          {with: " dev own", found: []string{"dev", "own"}, left: []string{"other", "far"}},
				"a selector of nothing":  {with: " -l team=c", found: []string{"o sandboxes are selected in namespace one"}},
				"nothing is no choice":   {wrong: "NAME is missing: give one or more, or select with --all or -l"},
				"-A alone is no choice":  {with: " -A", wrong: "-A alone selects nothing"},
				"a name is not with -A":  {with: " dev -A", wrong: "NAME does not go together with -A"},
				"a name is not with -l":  {with: " dev -l a=b", wrong: "use only one of NAME, --all and -l"},
				"--all is not with -l":   {with: " --all -l a=b", wrong: "use only one of NAME, --all and -l"},
				"a wrong selector fails": {with: " -l a==b==c", wrong: "-l \"a==b==c\""},
			}
			for name, tt := range tests {
				t.Run(name, func(t *testing.T) {
					code, out, errOut := runInOne(t, command+tt.with)
					if (code == cli.ExitUsage) != (tt.wrong != "") || !strings.Contains(errOut, tt.wrong) {
						t.Errorf("code %d, stderr %q", code, errOut)
					}
					for _, name := range tt.found {
						if !strings.Contains(out+errOut, name) {
							t.Errorf("%s is not in %q, %q", name, out, errOut)
						}
					}
					for _, name := range tt.left {
						if strings.Contains(out+errOut, name) {
							t.Errorf("%s is in %q, %q", name, out, errOut)
						}
					}
				})
			}
		})
	}
}

func TestWhatIsPrintedOfSelectedSandboxes(t *testing.T) {
	tests := map[string]struct {
		line, out, errOut string
		code              int
	}{
		"the namespaces are named with -A": {
			line: "suspend -l team=a -A",
			out: "claim/dev suspending in namespace one\nsandbox/far suspending in namespace two\n" +
				"sandbox/own suspending in namespace one\n",
		},
		"-q prints names alone":           {line: "suspend -l team=a -q", out: "claim/dev\nsandbox/own\n"},
		"-q of extend":                    {line: "extend --all --by 1h -q", out: "claim/dev\nsandbox/other\nsandbox/own\n"},
		"-q of a name gives its kind too": {line: "extend own --by 1h -q", out: "sandbox/own\n"},
		"-q of delete":                    {line: "delete --all --yes -q", out: "claim/dev\nsandbox/other\nsandbox/own\n"},
		"-q of wait":                      {line: "wait nope --for deleted -q", out: "nope\n"},
		"what may be missing is no error": {
			line: "delete nope own --yes -q --ignore-not-found", out: "sandbox/own\n",
		},
		"nothing but what may be missing": {line: "delete nope --yes --ignore-not-found"},
		"a pool that may be missing":      {line: "pool delete nope --yes --ignore-not-found"},
		"-q of pool delete":               {line: "pool delete warm --yes -q", out: "pool/warm\n"},
		"status in one line for each":     {line: "status dev own -q", out: "dev: Blocked\nown: Blocked\n"},
		"waiting for what is not selected is an error": {
			line: "wait -l team=c --for ready", code: 1, errOut: "Error: no sandboxes are selected in namespace one\n",
		},
		"waiting until nothing is left is none": {line: "wait -l team=c --for deleted"},
		"lines of logs name their sandbox": {
			line: "logs dev own", out: "[dev] fake logs\n[own] fake logs\n",
		},
		"and its namespace": {
			line: "logs -l team=a -A", out: "[one/claim/dev] fake logs\n[one/sandbox/own] fake logs\n", code: 1,
			errOut: "Error: far has no Pod",
		},
		"unless they must not":                {line: "logs dev own --no-prefix", out: "fake logs\nfake logs\n"},
		"logs of one sandbox are as they are": {line: "logs own", out: "fake logs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := runInOne(t, tt.line)
			if code != tt.code || sortedLines(out) != tt.out || !strings.HasPrefix(errOut, tt.errOut) ||
				(tt.errOut == "") != (errOut == "") {
				t.Errorf("code %d, stdout %q, stderr %q", code, out, errOut)
			}
		})
	}
}
