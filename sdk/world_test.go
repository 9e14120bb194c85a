// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// loopback is the address of all Pods.
const loopback = "127.0.0.1"

// world is a cluster with a simulated operator. Commands in a container run in a directory of this machine.
type world struct {
	*fakecluster.Cluster
	server  *fakeserver.Server
	network stream.Network
	dir     string
	// neverReady keeps Pods from starting.
	neverReady atomic.Bool
	// before is called before each request for our kinds, and may answer it with an error.
	before atomic.Pointer[func(verb, resource string) error]

	ctx   context.Context
	over  context.CancelFunc
	tasks sync.WaitGroup
	ends  []func()
}

func newWorld() *world {
	w := &world{Cluster: fakecluster.New(), server: fakeserver.New()}
	var err error
	if w.dir, err = os.MkdirTemp("", "sdk"); err != nil {
		panic(err)
	}
	w.server.Exec = fakeserver.Local(w.dir, "sh", "cat", "test", "tar", "sleep")
	if w.network, err = stream.New(w.server.Config(), clock.RealClock{}); err != nil {
		panic(err)
	}
	var made atomic.Int64
	name := func(action clienttesting.Action) (bool, runtime.Object, error) {
		if object, err := meta.Accessor(action.(clienttesting.CreateAction).GetObject()); err == nil &&
			object.GetUID() == "" {
			object.SetUID(types.UID(fmt.Sprintf("uid-%d", made.Add(1))))
		}
		return false, nil, nil
	}
	w.Sandboxes.PrependReactor("create", "*", name)
	w.Sandboxes.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if before := w.before.Load(); before != nil {
			err := (*before)(action.GetVerb(), action.GetResource().Resource)
			return err != nil, nil, err
		}
		return false, nil, nil
	})
	w.Kubernetes.PrependReactor("create", "*", name)
	w.ctx, w.over = context.WithCancel(context.Background())
	w.operate()
	return w
}

func (w *world) close() {
	w.over()
	w.tasks.Wait()
	for _, end := range w.ends {
		end()
	}
	w.server.Close()
	_ = os.RemoveAll(w.dir) // it is a temporary directory
}

// serve makes every port of every Pod that of an HTTP server.
func (w *world) serve(handler http.HandlerFunc) {
	server := httptest.NewServer(handler)
	w.ends = append(w.ends, func() { server.CloseClientConnections(); server.Close() })
	w.server.Forward = func(ctx context.Context, _ int32, connection io.ReadWriteCloser) error {
		return carry(ctx, strings.TrimPrefix(server.URL, "http://"), connection)
	}
}

// carry connects a connection with an address.
func carry(ctx context.Context, address string, connection io.ReadWriteCloser) error {
	to, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, connection)
		_ = to.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(connection, to)
	return err
}

// client returns a new client, as another process would have it.
func (w *world) client(options ...sdk.Option) *sdk.Client {
	return clientOf(sdk.Clients{Sandboxes: w.Sandboxes, Kubernetes: w.Kubernetes, Network: w.network}, options...)
}

// clientOf returns a client with valid options.
func clientOf(clients sdk.Clients, options ...sdk.Option) *sdk.Client {
	client, err := sdk.NewWith(clients, options...)
	if err != nil {
		panic(err)
	}
	return client
}

// operate does what the operator does, as far as clients can see it.
func (w *world) operate() {
	claims, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Watch(w.ctx, metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	sandboxes, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Watch(w.ctx, metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	w.tasks.Go(func() {
		defer claims.Stop()
		defer sandboxes.Stop()
		for {
			select {
			case <-w.ctx.Done():
				return
			case e := <-claims.ResultChan():
				if claim, ok := e.Object.(*extensionsv1beta1.SandboxClaim); ok {
					w.claim(claim)
				}
			case e := <-sandboxes.ResultChan():
				if sandbox, ok := e.Object.(*agentsv1beta1.Sandbox); ok {
					w.sandbox(sandbox)
				}
			}
		}
	})
}

// claim creates the Sandbox of a claim, or deletes it after the claim.
func (w *world) claim(claim *extensionsv1beta1.SandboxClaim) {
	api := w.Sandboxes.AgentsV1beta1().Sandboxes("default")
	if _, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(
		w.ctx, claim.Name, metav1.GetOptions{},
	); err != nil {
		_ = api.Delete(w.ctx, claim.Name, metav1.DeleteOptions{}) // it may be gone
		return
	}
	owner := metav1.NewControllerRef(claim, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim))
	_, _ = api.Create(w.ctx, &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{ // it may be there
		Namespace: "default", Name: claim.Name, OwnerReferences: []metav1.OwnerReference{*owner},
	}}, metav1.CreateOptions{})
}

// sandbox creates or deletes the Pod, as the Sandbox's spec says.
func (w *world) sandbox(seen *agentsv1beta1.Sandbox) {
	pods := w.Kubernetes.CoreV1().Pods("default")
	sandbox, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Get(w.ctx, seen.Name, metav1.GetOptions{})
	if err != nil {
		_ = pods.Delete(w.ctx, seen.Name, metav1.DeleteOptions{}) // it may be gone
		return
	}
	suspended, _ := sandbox.Spec.SuspensionRequested()
	if pod, err := pods.Get(w.ctx, sandbox.Name, metav1.GetOptions{}); err == nil &&
		(suspended || !metav1.IsControlledBy(pod, sandbox)) {
		_ = pods.Delete(w.ctx, sandbox.Name, metav1.DeleteOptions{}) // nobody else does
	}
	switch {
	case suspended:
		w.report(sandbox, apis.ConditionReady, false, apis.ReasonSandboxSuspended)
		w.report(sandbox, apis.ConditionSuspended, true, apis.ReasonPodTerminated)
		return
	case w.neverReady.Load():
		return
	}
	owner := metav1.NewControllerRef(sandbox, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox))
	_, _ = pods.Create(w.ctx, &corev1.Pod{ // it may be there
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: sandbox.Name, OwnerReferences: []metav1.OwnerReference{*owner},
			Labels: map[string]string{apis.LabelSandboxNameHash: naming.Hash(sandbox.Name)},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: loopback, PodIPs: []corev1.PodIP{{IP: loopback}}},
	}, metav1.CreateOptions{})
	w.report(sandbox, apis.ConditionReady, true, apis.ReasonDependenciesReady)
}

// report writes a condition to the Sandbox and its claim, unless it is already there.
func (w *world) report(sandbox *agentsv1beta1.Sandbox, kind apis.ConditionType, status bool, reason apis.Reason) {
	api := w.Sandboxes.AgentsV1beta1().Sandboxes("default")
	now, err := api.Get(w.ctx, sandbox.Name, metav1.GetOptions{})
	if err != nil {
		return
	}
	c := apis.NewCondition(now.Status.Conditions, kind, status, reason, "", 0, metav1.Time{})
	if has := apis.FindCondition(now.Status.Conditions, kind); has == nil || has.Status != c.Status {
		now.Status.Conditions, now.Status.PodIPs = with(now.Status.Conditions, c), []string{loopback}
		_, _ = api.Update(w.ctx, now, metav1.UpdateOptions{}) // it may be gone
	}
	claims := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default")
	claim, err := claims.Get(w.ctx, sandbox.Name, metav1.GetOptions{})
	if err != nil {
		return
	}
	if has := apis.FindCondition(claim.Status.Conditions, kind); has == nil || has.Status != c.Status ||
		claim.Status.SandboxStatus.Name == "" {
		claim.Status.SandboxStatus.Name, claim.Status.SandboxStatus.UID = sandbox.Name, sandbox.UID
		claim.Status.Conditions = with(claim.Status.Conditions, c)
		_, _ = claims.Update(w.ctx, claim, metav1.UpdateOptions{}) // it may be gone
	}
}

func with(conditions []metav1.Condition, c metav1.Condition) []metav1.Condition {
	all := []metav1.Condition{c}
	for _, other := range conditions {
		if other.Type != c.Type && (c.Type != string(apis.ConditionReady) || c.Status != metav1.ConditionTrue) {
			all = append(all, other)
		}
	}
	return all
}

// hurried is a clock whose timers take a thousandth of the time.
type hurried struct{ clock.RealClock }

// NewTimer implements clock.WithTicker.
func (hurried) NewTimer(d time.Duration) clock.Timer { return clock.RealClock{}.NewTimer(d / 1000) }
