// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/list"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func meta(name string, age time.Duration) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "ns", CreationTimestamp: metav1.NewTime(now.Add(-age))}
}

// objects returns a claim with its Sandbox, a Sandbox without an owner that expires in an hour, and a member of a pool.
func objects() []runtime.Object {
	ready := []metav1.Condition{
		apis.NewCondition(
			nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", 0, metav1.NewTime(now),
		),
	}
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: meta("claimed", time.Hour)}
	claim.UID, claim.Status.Conditions, claim.Status.SandboxStatus.Name = "c", ready, "warm-1"
	held := &agentsv1beta1.Sandbox{
		ObjectMeta: meta("warm-1", 2*time.Hour),
		Status:     agentsv1beta1.SandboxStatus{Conditions: ready, PodIPs: []string{"10.0.0.1"}, NodeName: "n1"},
	}
	held.OwnerReferences = []metav1.OwnerReference{
		{Kind: apis.KindSandboxClaim, Name: "claimed", UID: "c", Controller: new(true)},
	}
	own := &agentsv1beta1.Sandbox{ObjectMeta: meta("own", time.Minute)}
	own.Status.Conditions = []metav1.Condition{
		apis.NewCondition(
			nil, apis.ConditionReady, false, apis.ReasonDependenciesNotReady, "Pod does not exist", 0, metav1.NewTime(now),
		),
	}
	own.Labels = map[string]string{"team": "a", "x": "y"}
	own.Spec.ShutdownTime = &metav1.Time{Time: now.Add(time.Hour)}
	member := &agentsv1beta1.Sandbox{ObjectMeta: meta("spare", time.Hour), Status: held.Status}
	member.OwnerReferences = []metav1.OwnerReference{
		{Kind: apis.KindSandboxWarmPool, Name: "warm", UID: "p", Controller: new(true)},
	}
	return []runtime.Object{claim, held, member, own}
}

func run(t *testing.T, cluster *fakecluster.Cluster, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := list.NewCommand(&fake.Factory{
		In: "ns", Time: clocktesting.NewFakeClock(now),
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestTable(t *testing.T) {
	const plain = `NAME      KIND      STATUS     AGE    ENDS IN   HELD BY
claimed   claim     Ready      60m    -         -
own       sandbox   Starting   60s    60m       -
warm-1    sandbox   Ready      120m   -         claim/claimed
`
	const wide = `NAME      KIND      STATUS     AGE    ENDS IN   HELD BY         POD IPS    NODE   MESSAGE
claimed   claim     Ready      60m    -         -               -          n1     Pod is Ready
own       sandbox   Starting   60s    60m       -               -          -      Pod does not exist
warm-1    sandbox   Ready      120m   -         claim/claimed   10.0.0.1   n1     Pod is Ready
`
	const oldest = `warm-1    sandbox   Ready      120m   -     claim/claimed
claimed   claim     Ready      60m    -     -
own       sandbox   Starting   60s    60m   -
`
	tests := map[string]struct {
		args []string
		want string
	}{
		"claims come first, and a Sandbox names its holder": {want: plain},
		"wide tells more": {args: []string{"-o", "wide"}, want: wide},
		"sorted by a field, without headers": {
			args: []string{"--sort-by", "{.metadata.creationTimestamp}", "--no-headers"},
			want: oldest,
		},
		"one name": {
			args: []string{"own"},
			want: "NAME   KIND      STATUS     AGE   ENDS IN   HELD BY\nown    sandbox   Starting   60s   60m       -\n",
		},
		"all namespaces name theirs": {
			args: []string{"-A", "--no-headers", "--sort-by", ".metadata.name"},
			want: "ns    claimed   claim     Ready      60m    -     -\n" +
				"ns    own       sandbox   Starting   60s    60m   -\n" +
				"ns    warm-1    sandbox   Ready      120m   -     claim/claimed\n",
		},
		"columns of one's own": {
			args: []string{"-o", "custom-columns=N:.metadata.name,NODE:status.nodeName"},
			want: "N         NODE\nclaimed   <none>\nown       <none>\nwarm-1    n1\n",
		},
		"names for scripts": {
			args: []string{"-o", "name"},
			want: "sandboxclaim." + apis.GroupExtensions + "/claimed\n" +
				"sandbox." + apis.GroupAgents + "/own\nsandbox." + apis.GroupAgents + "/warm-1\n",
		},
		"names that all commands take": {args: []string{"-q"}, want: "claim/claimed\nsandbox/own\nsandbox/warm-1\n"},
		"claims alone": {
			args: []string{"claims"},
			want: "NAME      KIND    STATUS   AGE   ENDS IN   HELD BY\nclaimed   claim   Ready    60m   -         -\n",
		},
		"Sandboxes alone":       {args: []string{"--kind", "sandbox", "-q"}, want: "sandbox/own\nsandbox/warm-1\n"},
		"a name after its kind": {args: []string{"sandbox", "own", "-q"}, want: "sandbox/own\n"},
		"the members of pools too": {
			args: []string{"--members", "-q", "sandboxes"}, want: "sandbox/own\nsandbox/spare\nsandbox/warm-1\n",
		},
		"a member by its name":        {args: []string{"spare", "-q"}, want: "sandbox/spare\n"},
		"the object itself of a name": {args: []string{"own", "-o", "jsonpath={.metadata.name}"}, want: "own"},
		"a List of two names": {
			args: []string{"own", "spare", "-o", "jsonpath={.items[1].metadata.name}"}, want: "spare",
		},
		"a name that may be missing": {args: []string{"nope", "own", "--ignore-not-found", "-q"}, want: "sandbox/own\n"},
		"a column for a label, and one for all": {
			args: []string{"own", "-L", "team,example.com/stage", "--show-labels"},
			want: "NAME   KIND      STATUS     AGE   ENDS IN   HELD BY   TEAM   STAGE   LABELS\n" +
				"own    sandbox   Starting   60s   60m       -         a      -       team=a,x=y\n",
		},
		"a path": {
			args: []string{"-o", "jsonpath={.items[*].metadata.name}"},
			want: "claimed own warm-1",
		},
		"a template": {
			args: []string{"-o", "go-template={{range .items}}{{.kind}} {{end}}"},
			want: "SandboxClaim Sandbox Sandbox ",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, errOut, err := run(t, fakecluster.New(objects()...), tt.args...)
			if err != nil || errOut != "" || trimmed(out) != tt.want {
				t.Errorf("%v, stderr %q, stdout:\n%s", err, errOut, out)
			}
		})
	}
}

// trimmed returns the text without spaces at the ends of its lines.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		return text
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestJSONIsAlwaysOneList(t *testing.T) {
	tests := map[string]struct {
		cluster *fakecluster.Cluster
		args    []string
		want    int
	}{
		"of nothing":    {cluster: fakecluster.New(), want: 0},
		"of both kinds": {cluster: fakecluster.New(objects()...), want: 3},
		"of two names":  {cluster: fakecluster.New(objects()...), args: []string{"own", "warm-1"}, want: 2},
		"without the extensions' CRDs": {
			cluster: fakecluster.New(objects()...).Refuse("list", apis.ResourceClaims, fakecluster.NotServed()),
			want:    2,
		},
		"without permission to list claims": {
			cluster: fakecluster.New(objects()...).Refuse("list", apis.ResourceClaims,
				fakecluster.Forbidden("list", apis.ResourceClaims, apis.GroupExtensions)),
			want: 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, errOut, err := run(t, tt.cluster, append([]string{"-o", "json"}, tt.args...)...)
			list := struct {
				Kind  string           `json:"kind"`
				Items []map[string]any `json:"items"`
			}{}
			if err != nil || errOut != "" || json.Unmarshal([]byte(out), &list) != nil {
				t.Fatalf("%v, stderr %q, stdout:\n%s", err, errOut, out)
			}
			if list.Kind != "List" || list.Items == nil || len(list.Items) != tt.want {
				t.Errorf("got %s", out)
			}
			for _, item := range list.Items {
				if item["kind"] == nil || item["apiVersion"] == nil {
					t.Errorf("an item has no kind: %v", item)
				}
			}
		})
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Run("an empty namespace is told on stderr", func(t *testing.T) {
		out, errOut, err := run(t, fakecluster.New())
		if err != nil || out != "" || errOut != "No sandboxes found in namespace ns.\n" {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
	})
	t.Run("the members of pools are counted if there is nothing else", func(t *testing.T) {
		member := builders.Sandbox("spare", builders.InNamespace("ns"), builders.OwnedBy(
			builders.Pool("warm", "t", builders.InNamespace("ns"), builders.WithUID("p"))))
		_, errOut, err := run(t, fakecluster.New(member))
		if err != nil ||
			errOut != "No sandboxes found in namespace ns. --members also lists 1 that no claim has taken from a pool.\n" {
			t.Errorf("%v, %q", err, errOut)
		}
	})
	t.Run("one name that may be missing prints nothing", func(t *testing.T) {
		for _, format := range []string{"", "json", "yaml"} {
			if out, errOut, err := run(t, fakecluster.New(), "nope", "--ignore-not-found", "-o", format); err != nil ||
				out+errOut != "" {
				t.Errorf("%v, %q, %q", err, out, errOut)
			}
		}
	})
	t.Run("a missing name fails, and the others are listed", func(t *testing.T) {
		out, _, err := run(t, fakecluster.New(objects()...), "nope", "own", "-o", "name")
		if !resolve.Is(err, resolve.NotFound) || out != "sandbox."+apis.GroupAgents+"/own\n" {
			t.Errorf("%v, %q", err, out)
		}
	})
	t.Run("a cluster without CRDs says so", func(t *testing.T) {
		_, _, err := run(t, fakecluster.New().Refuse("list", "*", fakecluster.NotServed()))
		if !resolve.Is(err, resolve.NotInstalled) {
			t.Errorf("got %v", err)
		}
	})
}
