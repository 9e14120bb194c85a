// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/pool"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func age(d time.Duration) builders.Meta { return builders.CreatedAt(now.Add(-d)) }

var ready = builders.WithCondition(
	apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", now.Add(-time.Hour),
)

// objects returns three pools: one with a claim and three members, of which one is ready, one is stale and one is not
// ready; one whose template is missing; and one in another namespace.
func objects() []runtime.Object {
	warm := builders.Pool(
		"warm", "python", builders.WithUID("p"), builders.WithReplicas(3), age(time.Hour), builders.WithLabel("team", "a"),
	)
	hash := builders.WithLabel(apis.LabelSandboxTemplateRefHash, naming.Hash("python"))
	claim := builders.Claim("dev", "python", builders.WithUID("c"), builders.BoundTo("warm-ddddd"), age(30*time.Minute))
	return []runtime.Object{
		warm, claim, builders.Template("python"), builders.Template("node"),
		builders.Sandbox("warm-aaaaa", builders.OwnedBy(warm), hash, ready, age(50*time.Minute)),
		builders.Sandbox("warm-bbbbb", builders.OwnedBy(warm), hash, ready, age(40*time.Minute), builders.WithImage("old")),
		builders.Sandbox(
			"warm-ccccc",
			builders.OwnedBy(warm),
			hash,
			age(time.Minute),
			builders.WithCondition(
				apis.ConditionReady, false, apis.ReasonDependenciesNotReady, "Pod exists with phase: Pending", now,
			),
		),
		builders.Sandbox(
			"warm-ddddd", builders.OwnedBy(claim), hash, ready, age(61*time.Minute),
			builders.WithLabel(apis.LabelLaunchType, apis.LaunchTypeWarm),
		),
		builders.Pool(
			"lost", "nope", builders.WithUID("l"), age(2*time.Hour),
			builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType),
		),
		builders.Pool("far", "python", builders.InNamespace("elsewhere"), builders.WithReplicas(0), age(3*time.Hour)),
	}
}

func run(t *testing.T, cluster *fakecluster.Cluster, line string) (stdout, stderr string, err error) {
	t.Helper()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := pool.NewCommand(
		&fake.Factory{
			Time:             clocktesting.NewFakeClock(now),
			SandboxesClient:  cluster.Sandboxes,
			KubernetesClient: cluster.Kubernetes,
		},
		streams,
	)
	cmd.SetArgs(strings.Fields(line))
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestPagesForPeople(t *testing.T) {
	tests := map[string]struct {
		line   string
		hidden bool
		golden string
	}{
		"a list says why pools are short":        {line: "list", golden: "list.txt"},
		"a wide list of all namespaces":          {line: "list -A -o wide --sort-by .metadata.name", golden: "list-wide.txt"},
		"a list for one who may read pools only": {line: "list", hidden: true, golden: "list-hidden.txt"},
		"members and claims are described":       {line: "describe warm", golden: "describe.txt"},
		"a pool without its template":            {line: "describe pool/lost", golden: "describe-lost.txt"},
		"pools are described by their labels":    {line: "describe -l team=a -A", golden: "describe.txt"},
		"two pools for one who may read no more": {line: "describe warm lost", hidden: true, golden: "describe-hidden.txt"},
		"what came so far says how large":        {line: "plan warm", golden: "plan.txt"},
		"a rate and a burst say how large": {
			line:   "plan warm --rate 30/m --burst 50 --start 4s",
			golden: "plan-given.txt",
		},
		"a plan for a program": {line: "plan warm -o yaml", golden: "plan.yaml"},
		"a pool that would be created": {
			line:   "create p --template python --replicas 2 --update-strategy recreate --label team=a --dry-run=client -o yaml",
			golden: "create.yaml",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(objects()...)
			if tt.hidden {
				for _, resource := range []string{apis.ResourceTemplates, apis.ResourceClaims, apis.ResourceSandboxes} {
					cluster.Refuse("list", resource, fakecluster.Forbidden("list", resource, apis.GroupExtensions))
				}
			}
			out, errOut, err := run(t, cluster, tt.line)
			if err != nil || errOut != "" {
				t.Fatalf("%v, %q", err, errOut)
			}
			golden.Compare(t, filepath.Join("testdata", tt.golden), []byte(out))
		})
	}
}

func TestChanges(t *testing.T) {
	tests := map[string]struct {
		line string
		out  string
		said string // in the error, or on stderr
		code int
	}{
		"a pool is created": {
			line: "create p --template python",
			out:  "sandboxwarmpool." + apis.GroupExtensions + "/p created\n",
		},
		"a pool is scaled":                 {line: "scale warm --replicas 0", out: "pool/warm scaled to 0\n"},
		"a pool that is so large stays so": {line: "scale warm --replicas 3", out: "pool/warm unchanged\n"},
		"pools are scaled by their labels": {line: "scale -l team=a --replicas 5", out: "pool/warm scaled to 5\n"},
		"pools are scaled in all namespaces": {
			line: "scale --all -A --replicas 0 -q", out: "pool/far\npool/lost\npool/warm\n",
		},
		"a selector of nothing scales nothing": {
			line: "scale -l team=nobody --replicas 5", said: "No pools are selected in namespace default.\n",
		},
		"a pool gets another template": {line: "set-template warm node", out: "pool/warm now uses template node\n"},
		"a dry run names what would change": {
			line: "set-template warm lost node --dry-run", out: "pool/lost now uses template node (dry run)\n" +
				"pool/warm now uses template node (dry run)\n",
		},
		"a dry run names what would not change": {
			line: "scale warm --replicas 3 --dry-run=server", out: "pool/warm unchanged (server dry run)\n",
		},
		"a dry run finds that a template is missing": {
			line: "set-template warm nope --dry-run", said: `no template is called "nope"`, code: cli.ExitFailed,
		},
		"a dry run is of the client or the server": {
			line: "set-template warm node --dry-run=maybe", said: `--dry-run is "maybe"`, code: cli.ExitUsage,
		},
		"a dry run of a size is of the client or the server": {
			line: "scale warm --replicas 4 --dry-run=maybe", said: `--dry-run is "maybe"`, code: cli.ExitUsage,
		},
		"pools get another template": {
			line: "set-template pool/warm lost template/node", out: "pool/lost now uses template node\n" +
				"pool/warm now uses template node\n",
		},
		"pools get another template by their labels": {
			line: "set-template -l team=a node -q", out: "pool/warm\n",
		},
		"a pool keeps a template that it has": {line: "set-template warm python", out: "pool/warm unchanged\n"},
		"a pool gets no template that is not there": {
			line: "set-template warm nope", said: `pool warm keeps template python: no template is called "nope"`,
			code: cli.ExitFailed,
		},
		"a template is needed": {line: "set-template warm", said: "TEMPLATE is missing", code: cli.ExitUsage},
		"a template for labels is needed": {
			line: "set-template -l team=a", said: "TEMPLATE is missing", code: cli.ExitUsage,
		},
		"a pool is no template": {
			line: "set-template warm pool/lost", said: "is not a template", code: cli.ExitUsage,
		},
		"pools are deleted in all namespaces": {
			line: "delete --all -A --yes", out: "pool/far deleted in namespace elsewhere\n" +
				"pool/lost deleted in namespace default\npool/warm deleted in namespace default\n",
		},
		"every pool is tried": {
			line: "scale nope warm --replicas 5",
			out:  "pool/warm scaled to 5\n",
			said: `no pool is called "nope"`,
			code: cli.ExitFailed,
		},
		"a pool is deleted":                 {line: "delete warm --yes", out: "pool/warm deleted\n"},
		"pools are deleted by their labels": {line: "delete -l team=a --yes", said: ""},
		"a pool that is not there is named": {
			line: "delete nope --yes",
			said: `no pool is called "nope"`,
			code: cli.ExitFailed,
		},
		"nobody can be asked":   {line: "delete warm", said: "give --yes", code: cli.ExitUsage},
		"a template is no pool": {line: "delete template/x --yes", said: "is not a pool", code: cli.ExitUsage},
		"a pool has a template": {line: "create p", said: "--template is missing", code: cli.ExitUsage},
		"a pool's name leaves room": {
			line: "create " + strings.Repeat("p", 58) + " --template x",
			said: "at most 57",
			code: cli.ExitUsage,
		},
		"a pool's name can be claimed from": {
			line: "create none --template x",
			said: "could not be claimed from",
			code: cli.ExitUsage,
		},
		"a pool's name is one": {line: "create P --template x", said: "cannot be a name", code: cli.ExitUsage},
		"a pool is not negative": {
			line: "create p --template x --replicas -1",
			said: "--replicas is -1",
			code: cli.ExitUsage,
		},
		"a strategy is one of two": {
			line: "create p --template x --update-strategy soon",
			said: "OnReplenish or Recreate",
			code: cli.ExitUsage,
		},
		"a size is needed": {line: "scale warm", said: "--replicas is missing", code: cli.ExitUsage},
		"a size is not negative": {
			line: "scale warm --replicas -1",
			said: "--replicas is -1",
			code: cli.ExitUsage,
		},
		"a rate is a number of claims":    {line: "plan warm --rate often", said: "as in 2/s", code: cli.ExitUsage},
		"a rate is no less than none":     {line: "plan warm --rate -1/s", said: "as in 2/s", code: cli.ExitUsage},
		"a rate is in a known time":       {line: "plan warm --rate 1/w", said: "as in 2/s", code: cli.ExitUsage},
		"a burst is not negative":         {line: "plan warm --burst -1", said: "--burst is -1", code: cli.ExitUsage},
		"a start is not negative":         {line: "plan warm --start -1s", said: "--start is -1s", code: cli.ExitUsage},
		"a plan has a known format":       {line: "plan warm -o wide", said: "is not an output format", code: cli.ExitUsage},
		"a plan needs what took how long": {line: "plan lost", said: "give --start", code: cli.ExitFailed},
		"a plan needs claims or a guess": {
			line: "plan lost --start 1s",
			said: "give --rate or --burst",
			code: cli.ExitFailed,
		},
		"a plan is of a pool that there is":  {line: "plan nope", said: `no pool is called "nope"`, code: cli.ExitFailed},
		"a list has a known format":          {line: "list -o table", said: "is not an output format", code: cli.ExitUsage},
		"a name and a selector are too much": {line: "list warm -l a=b", said: "does not go together", code: cli.ExitUsage},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, errOut, err := run(t, fakecluster.New(objects()...), tt.line)
			if cli.ExitCode(err) != tt.code || (tt.out != "" && sortedLines(out) != tt.out) {
				t.Errorf("code %d, stdout %q (%v)", cli.ExitCode(err), out, err)
			}
			if err != nil {
				errOut += err.Error()
			}
			if !strings.Contains(errOut, tt.said) {
				t.Errorf("told %q, want %q", errOut, tt.said)
			}
		})
	}
}

// sortedLines returns the lines of a text in order: commands work on several objects at a time.
func sortedLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestProgramsGetOneDocument(t *testing.T) {
	for line, count := range map[string]int{"list -o json": 2, "list -A -o json": 3, "list -o json -l team=nobody": 0} {
		out, _, err := run(t, fakecluster.New(objects()...), line)
		list := metav1.List{}
		if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list.Items) != count {
			t.Errorf("%s: %v, %s", line, err, out)
		}
	}
	out, errOut, err := run(t, fakecluster.New(), "list")
	if err != nil || out != "" || errOut != "No pools found in namespace default.\n" {
		t.Errorf("%v, %q, %q", err, out, errOut)
	}
}
