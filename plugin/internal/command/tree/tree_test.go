// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tree_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/tree"
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

func pod(sandbox *agentsv1beta1.Sandbox, options ...builders.PodOption) *corev1.Pod {
	return builders.Pod(sandbox.Name, append(options, age(time.Hour), builders.OwnedBy(sandbox), builders.OnNode("n1"),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash(sandbox.Name)))...)
}

// claimed returns a claim that was served from a pool, with everything that a Sandbox can have.
func claimed() []runtime.Object {
	claim := builders.Claim("dev", "python", builders.WithUID("c"), age(time.Hour), builders.BoundTo("warm-aaaaa"), ready)
	sandbox := builders.Sandbox(
		"warm-aaaaa",
		builders.WithUID("s"),
		builders.OwnedBy(claim),
		builders.WithLabel(apis.LabelLaunchType, apis.LaunchTypeWarm),
		builders.WithVolume("data", "2Gi"),
		builders.WithVolume("cache", "1Gi"),
		builders.WithService(true),
		age(2*time.Hour),
		ready,
	)
	sandbox.Status.Service, sandbox.Status.ServiceFQDN = "warm-aaaaa", "warm-aaaaa.default.svc.cluster.local"
	warm := builders.Pool(
		"warm", "python", builders.WithReplicas(3), age(3*time.Hour),
		builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{ReadyReplicas: 2}),
	)
	return []runtime.Object{
		claim, sandbox, warm, builders.Template("python", age(4*time.Hour)), pod(sandbox, builders.Ready()),
		builders.Service("warm-aaaaa", age(time.Hour)),
		builders.PersistentVolumeClaim("data-warm-aaaaa", "2Gi", builders.Bound("v1"), age(time.Hour)),
	}
}

// member returns an unclaimed warm Sandbox whose image cannot be pulled.
func member() []runtime.Object {
	warm := builders.Pool("warm", "python", builders.WithUID("p"), age(3*time.Hour))
	sandbox := builders.Sandbox(
		"dev",
		builders.WithUID("s"),
		builders.OwnedBy(warm),
		age(time.Minute),
		builders.WithCondition(
			apis.ConditionReady, false, apis.ReasonDependenciesNotReady, "Pod exists with phase: Pending", now,
		),
	)
	return []runtime.Object{warm, sandbox, pod(sandbox, builders.ImagePullError())}
}

func run(t *testing.T, cluster *fakecluster.Cluster, line string) (stdout, stderr string, err error) {
	t.Helper()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := tree.NewCommand(
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

func TestTree(t *testing.T) {
	suspended := builders.Sandbox("dev", builders.WithUID("s"), builders.WithReplicas(0), age(time.Hour),
		builders.WithCondition(apis.ConditionSuspended, true, apis.ReasonPodTerminated, "", now))
	tests := map[string]struct {
		objects []runtime.Object
		line    string
		hidden  bool
		golden  string
	}{
		"a claim with all that belongs to it":  {objects: claimed(), line: "dev", golden: "claim.txt"},
		"by names":                             {objects: claimed(), line: "dev -o name", golden: "names.txt"},
		"for one who may read sandboxes only":  {objects: claimed(), line: "dev", hidden: true, golden: "hidden.txt"},
		"a member of a pool, and what is lost": {objects: member(), line: "dev", golden: "member.txt"},
		"a claim that has nothing yet": {
			objects: []runtime.Object{builders.Claim("dev", "python", builders.FromPool("warm"), age(time.Second))},
			line:    "dev",
			golden:  "early.txt",
		},
		"a suspended Sandbox misses no Pod": {objects: []runtime.Object{suspended}, line: "dev", golden: "suspended.txt"},
		"two trees, without headers": {
			objects: append(claimed(), suspended),
			line:    "claim/dev sandbox/dev --no-headers",
			golden:  "two.txt",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(tt.objects...)
			if tt.hidden {
				for _, resource := range []string{
					"pods", "services", "persistentvolumeclaims", apis.ResourceTemplates, apis.ResourceWarmPools,
				} {
					cluster.Refuse("*", resource, fakecluster.Forbidden("get", resource, ""))
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

func TestProgramsGetOneListOfObjects(t *testing.T) {
	out, _, err := run(t, fakecluster.New(claimed()...), "dev -o json")
	list := metav1.List{}
	if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list.Items) != 7 {
		t.Errorf("%v, %d items", err, len(list.Items))
	}
}

func TestAMissingNameIsAnErrorAndTheOthersAreShown(t *testing.T) {
	out, _, err := run(t, fakecluster.New(claimed()...), "nope dev")
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(err.Error(), `"nope"`) ||
		!strings.Contains(out, "claim/dev") {
		t.Errorf("%v, %s", err, out)
	}
	if out, _, err := run(t, fakecluster.New(), "nope"); err == nil || out != "" {
		t.Errorf("%v, %q", err, out)
	}
	if _, _, err := run(t, fakecluster.New(), "dev --sort-by x"); err == nil {
		t.Error("a tree was sorted")
	}
}
