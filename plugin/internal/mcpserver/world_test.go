// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// patience is how long tests wait for what happens at once on an idle machine.
const patience = 30 * time.Second

// world is a cluster with a simulated operator. Commands in containers run in a directory of this machine.
type world struct {
	*fakecluster.Cluster
	server  *fakeserver.Server
	factory *fake.Factory
	dir     string // of the containers
	// neverReady keeps new Pods from starting.
	neverReady atomic.Bool
}

func newWorld(t *testing.T, objects ...runtime.Object) *world {
	t.Helper()
	w := &world{Cluster: fakecluster.New(objects...), server: fakeserver.New(), dir: t.TempDir()}
	t.Cleanup(w.server.Close)
	w.server.Exec = fakeserver.Local(w.dir, "sh", "cat", "test", "tar", "sleep")
	var made atomic.Int64
	name := func(action clienttesting.Action) (bool, runtime.Object, error) {
		object, err := meta.Accessor(action.(clienttesting.CreateAction).GetObject())
		if err == nil && object.GetUID() == "" {
			object.SetUID(types.UID(fmt.Sprintf("uid-%d", made.Add(1))))
		}
		return false, nil, nil
	}
	w.Sandboxes.PrependReactor("create", "*", name)
	w.Kubernetes.PrependReactor("create", "*", name)
	w.factory = &fake.Factory{
		Config: w.server.Config(), SandboxesClient: w.Sandboxes, KubernetesClient: w.Kubernetes,
	}
	w.operate(t)
	return w
}

// operate does what the operator does, as far as clients can see it.
func (w *world) operate(t *testing.T) {
	t.Helper()
	ctx, over := context.WithCancel(context.Background())
	claims, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sandboxes, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var task sync.WaitGroup
	t.Cleanup(func() { over(); task.Wait() })
	task.Go(func() {
		defer claims.Stop()
		defer sandboxes.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-claims.ResultChan():
				if claim, ok := e.Object.(*extensionsv1beta1.SandboxClaim); ok {
					w.claim(ctx, claim)
				}
			case e := <-sandboxes.ResultChan():
				if sandbox, ok := e.Object.(*agentsv1beta1.Sandbox); ok {
					w.sandbox(ctx, sandbox)
				}
			}
		}
	})
}

// claim creates the Sandbox of a claim, or deletes it after the claim.
func (w *world) claim(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) {
	api := w.Sandboxes.AgentsV1beta1().Sandboxes("default")
	if _, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(
		ctx, claim.Name, metav1.GetOptions{},
	); err != nil {
		_ = api.Delete(ctx, claim.Name, metav1.DeleteOptions{}) // it may be gone
		return
	}
	owner := metav1.NewControllerRef(claim, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim))
	_, _ = api.Create(ctx, &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{ // it may be there
		Namespace: "default", Name: claim.Name, OwnerReferences: []metav1.OwnerReference{*owner},
	}}, metav1.CreateOptions{})
}

// sandbox creates or deletes the Pod, as the Sandbox's spec says.
func (w *world) sandbox(ctx context.Context, seen *agentsv1beta1.Sandbox) {
	pods := w.Kubernetes.CoreV1().Pods("default")
	sandbox, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Get(ctx, seen.Name, metav1.GetOptions{})
	if err != nil {
		_ = pods.Delete(ctx, seen.Name, metav1.DeleteOptions{}) // it may be gone
		return
	}
	if suspended, _ := sandbox.Spec.SuspensionRequested(); suspended {
		_ = pods.Delete(ctx, sandbox.Name, metav1.DeleteOptions{}) // nobody else does
		w.report(ctx, sandbox, apis.ConditionReady, false, apis.ReasonSandboxSuspended)
		w.report(ctx, sandbox, apis.ConditionSuspended, true, apis.ReasonPodTerminated)
		return
	}
	if w.neverReady.Load() {
		return
	}
	_, _ = pods.Create(ctx, builders.Pod( // it may be there
		sandbox.Name, builders.OwnedBy(sandbox), builders.Ready(),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash(sandbox.Name)),
	), metav1.CreateOptions{})
	w.report(ctx, sandbox, apis.ConditionReady, true, apis.ReasonDependenciesReady)
}

// report writes a condition to the Sandbox and its claim, unless it is already there.
func (w *world) report(
	ctx context.Context, sandbox *agentsv1beta1.Sandbox, kind apis.ConditionType, status bool, reason apis.Reason,
) {
	api := w.Sandboxes.AgentsV1beta1().Sandboxes("default")
	now, err := api.Get(ctx, sandbox.Name, metav1.GetOptions{})
	if err != nil {
		return
	}
	c := apis.NewCondition(now.Status.Conditions, kind, status, reason, "", 0, metav1.Time{})
	if has := apis.FindCondition(now.Status.Conditions, kind); has == nil || has.Status != c.Status {
		now.Status.Conditions = with(now.Status.Conditions, c)
		_, _ = api.Update(ctx, now, metav1.UpdateOptions{}) // it may be gone
	}
	claims := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default")
	claim, err := claims.Get(ctx, sandbox.Name, metav1.GetOptions{})
	if err != nil {
		return
	}
	if has := apis.FindCondition(claim.Status.Conditions, kind); has == nil || has.Status != c.Status ||
		claim.Status.SandboxStatus.Name == "" {
		claim.Status.SandboxStatus.Name, claim.Status.SandboxStatus.UID = sandbox.Name, sandbox.UID
		claim.Status.Conditions = with(claim.Status.Conditions, c)
		_, _ = claims.Update(ctx, claim, metav1.UpdateOptions{}) // it may be gone
	}
}

func with(all []metav1.Condition, c metav1.Condition) []metav1.Condition {
	all = slices.DeleteFunc(slices.Clone(all), func(other metav1.Condition) bool { return other.Type == c.Type })
	return append(all, c)
}

// left returns the names of the claims, and of the Sandboxes that no claim owns.
func (w *world) left(t *testing.T) []string {
	t.Helper()
	names := []string{}
	claims, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range claims.Items {
		names = append(names, "claim/"+claims.Items[i].Name)
	}
	sandboxes, err := w.Sandboxes.AgentsV1beta1().Sandboxes("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range sandboxes.Items {
		if metav1.GetControllerOf(&sandboxes.Items[i]) == nil {
			names = append(names, "sandbox/"+sandboxes.Items[i].Name)
		}
	}
	return names
}

// running returns a running Sandbox of the user, with its Pod.
func running(name string) []runtime.Object {
	sandbox := builders.Sandbox(name, builders.WithUID(types.UID(name)))
	sandbox.Status.Conditions = []metav1.Condition{
		apis.NewCondition(nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 0, metav1.Time{}),
	}
	return []runtime.Object{sandbox, builders.Pod(
		name, builders.OwnedBy(sandbox), builders.Ready(),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash(name)),
	)}
}
