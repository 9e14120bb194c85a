// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// rig is a dispatcher on a fake cluster.
type rig struct {
	*Dispatcher
	cluster *fakecluster.Cluster
}

func newRig(t *testing.T, readOnly bool, server *streamfake.Server) *rig {
	t.Helper()
	owner := b.Sandbox("dev", b.WithUID("dev"))
	objects := []runtime.Object{
		b.Sandbox("dev", b.WithUID("dev"), b.WithResourceVersion("1"),
			b.WithShutdown(time.Now().Add(time.Hour), agentsv1beta1.ShutdownPolicyDelete),
			b.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", time.Now())),
		b.Pod("dev", b.WithUID("pod"), b.OwnedBy(owner), b.Ready("10.0.0.1"),
			b.WithLabel(apis.LabelSandboxNameHash, strings.TrimPrefix(resolve.PodSelector("dev"),
				apis.LabelSandboxNameHash+"="))),
		b.Claim("held", "python", b.WithUID("held")),
		b.Pool("fast", "python", b.WithUID("fast"), b.WithReplicas(2), b.WithResourceVersion("1")),
		b.Template("python", b.WithUID("python")),
	}
	cluster := fakecluster.New(objects...)
	o := Options{Sandboxes: cluster.Sandboxes, Kubernetes: cluster.Kubernetes, Clock: clock.RealClock{},
		ReadOnly: readOnly}
	var wg sync.WaitGroup
	o.Go = func(f func()) { wg.Go(f) }
	if server != nil {
		network, err := stream.New(server.Config(), clock.RealClock{})
		if err != nil {
			t.Fatal(err)
		}
		o.Network = network
	}
	d := New(o)
	t.Cleanup(func() {
		d.Close()
		wg.Wait()
	})
	return &rig{d, cluster}
}

func target(kind resolve.Kind, name string) Target {
	return Target{Kind: kind, Namespace: b.Namespace, Name: name, UID: types.UID(name)}
}

func TestWhatIsAskedForIsDone(t *testing.T) {
	dev, held := target("sandbox", "dev"), target("claim", "held")
	fast, python := target("pool", "fast"), target("template", "python")
	tests := map[string]struct {
		ask  Request
		want string
		fail string
	}{
		"suspend": {ask: Request{Verb: Suspend, Targets: []Target{dev}},
			want: "sandbox/dev suspended"},
		"resume what runs": {ask: Request{Verb: Resume, Targets: []Target{dev}},
			want: "sandbox/dev is already running"},
		"extend": {ask: Request{Verb: Extend, Targets: []Target{dev}, Argument: "1h"},
			want: "sandbox/dev ends at "},
		"extend by nonsense": {ask: Request{Verb: Extend, Targets: []Target{dev}, Argument: "soon"},
			fail: `invalid duration "soon"`},
		"extend what never ends": {ask: Request{Verb: Extend, Targets: []Target{held}, Argument: "1h"},
			fail: "claim/held: "},
		"delete": {ask: Request{Verb: Delete, Targets: []Target{dev}},
			want: "sandbox/dev deleted"},
		"delete several": {ask: Request{Verb: Delete, Targets: []Target{dev, held}},
			want: "delete: 2 done"},
		"a failure does not stop the others": {ask: Request{Verb: Delete,
			Targets: []Target{target("sandbox", "gone"), held}}, fail: "sandbox/gone"},
		"delete a pool": {ask: Request{Verb: Delete, Targets: []Target{fast}},
			want: "pool/fast deleted"},
		"delete a template": {ask: Request{Verb: Delete, Targets: []Target{python}},
			want: "template/python deleted"},
		"scale": {ask: Request{Verb: Scale, Targets: []Target{fast}, Argument: "5"},
			want: "pool/fast scaled to 5"},
		"scale by nonsense": {ask: Request{Verb: Scale, Targets: []Target{fast}, Argument: "many"},
			fail: "invalid number"},
		"scale a Sandbox": {ask: Request{Verb: Scale, Targets: []Target{dev}, Argument: "5"},
			fail: "cannot scale a sandbox"},
		"suspend a pool": {ask: Request{Verb: Suspend, Targets: []Target{fast}},
			fail: "cannot suspend a pool"},
		"create from a template": {ask: Request{Verb: Create, Targets: []Target{python}, Argument: "new"},
			want: "claim/new created"},
		"create from a pool": {ask: Request{Verb: Create, Targets: []Target{fast}, Argument: "new"},
			want: "claim/new created"},
		"create with a name that is none": {ask: Request{Verb: Create, Targets: []Target{fast}, Argument: "A b"},
			fail: "invalid name"},
		"copy": {ask: Request{Verb: Copy, Targets: []Target{dev}}, want: "copied: -n " +
			b.Namespace + " sandbox/dev"},
		"nothing to nothing":           {ask: Request{Verb: Delete}, fail: "nothing is selected"},
		"a shell in what does not run": {ask: Request{Verb: Shell, Targets: []Target{held}}, fail: "held"},
		"a port that is none": {ask: Request{Verb: Forward, Targets: []Target{dev}, Argument: "x:y:z"},
			fail: "x:y:z"},
		"stop a port-forward that there isn't": {ask: Request{Verb: StopForward, Argument: "9"}, fail: "already ended"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := newRig(t, false, nil).Dispatch(t.Context(), tt.ask)
			switch {
			case tt.fail != "" && (got.Err == nil || !strings.Contains(got.Err.Error(), tt.fail)):
				t.Errorf("got %v, want %q", got.Err, tt.fail)
			case tt.fail == "" && (got.Err != nil || !strings.Contains(got.Message, tt.want)):
				t.Errorf("got %q, %v; want %q", got.Message, got.Err, tt.want)
			}
		})
	}
}

func TestAReadOnlyDispatcherChangesNothing(t *testing.T) {
	r := newRig(t, true, nil)
	for _, verb := range []Verb{Shell, Exec, Forward, Suspend, Resume, Extend, Delete, Scale, Create} {
		got := r.Dispatch(t.Context(), Request{Verb: verb, Targets: []Target{target("sandbox", "dev")}, Argument: "1h"})
		if !errors.Is(got.Err, ErrReadOnly) {
			t.Errorf("%s: %v", verb, got.Err)
		}
	}
	for _, action := range append(r.cluster.Sandboxes.Actions(), r.cluster.Kubernetes.Actions()...) {
		t.Errorf("it reached the cluster: %s %s", action.GetVerb(), action.GetResource().Resource)
	}
	if got := r.Dispatch(t.Context(), Request{Verb: Inspect, Targets: []Target{target("sandbox",
		"dev")}}); got.Err != nil {
		t.Errorf("inspect: %v", got.Err)
	}
}

func TestAnotherObjectOfTheSameNameIsLeftAlone(t *testing.T) {
	for _, verb := range []Verb{Suspend, Resume, Extend, Delete, Scale, Shell, Exec, Logs, Forward, Inspect} {
		r := newRig(t, false, nil)
		seen := target("sandbox", "dev")
		if verb == Scale {
			seen = target("pool", "fast")
		}
		seen.UID = "of an earlier one"
		got := r.Dispatch(t.Context(), Request{Verb: verb, Targets: []Target{seen}, Argument: "1"})
		if verb == Extend {
			got = r.Dispatch(t.Context(), Request{Verb: verb, Targets: []Target{seen}, Argument: "1h"})
		}
		if got.Err == nil || !strings.Contains(got.Err.Error(), "created again") {
			t.Errorf("%s: %v", verb, got.Err)
		}
	}
}

func TestInspectReadsEverything(t *testing.T) {
	r := newRig(t, false, nil)
	got := r.Dispatch(t.Context(), Request{Verb: Inspect, Targets: []Target{target("sandbox", "dev")}})
	if got.Err != nil || got.Page.Found.Pod == nil || got.Page.Diagnosis.Verdict != "Ready" {
		t.Fatalf("%+v, %v", got.Page, got.Err)
	}
	for _, part := range []string{"kind: Sandbox\n", "kind: Pod\n", "apiVersion: agents.x-k8s.io/v1beta1\n", "---\n"} {
		if !strings.Contains(got.Page.YAML, part) {
			t.Errorf("%q is missing in\n%s", part, got.Page.YAML)
		}
	}
	for _, of := range []Target{target("pool", "fast"), target("template", "python")} {
		event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name},
			InvolvedObject: corev1.ObjectReference{Name: of.Name, UID: of.UID}, Reason: "Happened"}
		events := r.cluster.Kubernetes.CoreV1().Events(of.Namespace)
		if _, err := events.Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := r.Dispatch(t.Context(), Request{Verb: Inspect, Targets: []Target{of}}); got.Err != nil ||
			!strings.Contains(got.Page.YAML, "name: "+of.Name) || len(got.Page.Snapshot.Events) != 1 {
			t.Errorf("%s: %+v, %v", of.Ref(), got.Page, got.Err)
		}
	}
}

func TestAPortForwardRunsInTheBackgroundUntilItIsStopped(t *testing.T) {
	server := streamfake.New()
	defer server.Close()
	server.Forward = func(_ context.Context, _ int32, connection io.ReadWriteCloser) error {
		_, err := io.WriteString(connection, "hello")
		return errors.Join(err, connection.Close())
	}
	r := newRig(t, false, server)
	got := r.Dispatch(t.Context(), Request{Verb: Forward, Targets: []Target{target("sandbox", "dev")}, Argument: ":80"})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	list := r.Forwards()
	if len(list) != 1 || list[0].Ports != ":80" {
		t.Fatalf("listed: %+v", list)
	}
	address, _, _ := strings.Cut(list[0].Listening, " ")
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(connection); string(text) != "hello" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	if got := r.Dispatch(t.Context(), Request{Verb: StopForward, Argument: "1"}); got.Err != nil {
		t.Error(got.Err)
	}
	r.Close()
	if len(r.Forwards()) != 0 {
		t.Error("it is still listed")
	}
	if connection, err := net.Dial("tcp", address); err == nil {
		_ = connection.Close() // it should not be there
		t.Error("it still listens")
	}
	if got := r.Dispatch(t.Context(), Request{Verb: Forward, Targets: []Target{target("sandbox", "dev")},
		Argument: ":80"}); got.Err == nil {
		t.Error("a dispatcher that was closed starts another")
	}
}

func TestACommandIsGivenItsStreams(t *testing.T) {
	server := streamfake.New()
	defer server.Close()
	server.Exec = func(_ context.Context, p streamfake.Process) error {
		if strings.Join(p.Command, " ") == "bash -c :" {
			return nil
		}
		_, err := io.WriteString(p.Stdout, "ran "+strings.Join(p.Command, " "))
		return err
	}
	r := newRig(t, false, server)
	got := r.Dispatch(t.Context(), Request{Verb: Exec, Targets: []Target{target("sandbox", "dev")}, Argument: "ls -l"})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	var out strings.Builder
	got.Session.SetStdin(strings.NewReader("\n"))
	got.Session.SetStdout(&out)
	got.Session.SetStderr(&out)
	if err := got.Session.Run(); err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, "ran bash -c ls -l") || !strings.Contains(text, "Exit code 0") {
		t.Errorf("output %q", text)
	}
	if got := r.Dispatch(t.Context(), Request{Verb: Exec, Targets: []Target{target("sandbox", "dev")},
		Argument: " "}); got.Err == nil {
		t.Error("no command was accepted")
	}
}
