// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operator runs the operator against a real API server, as a user with only the permissions of the installed
// roles. There is no kubelet and no garbage collector: the tests act in their place.
package operator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard()) // the libraries' log outside of an operator
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }))
}

// granted returns the rules of the manifests' roles of the kind.
func granted(t *testing.T, kind string) []rbacv1.PolicyRule {
	t.Helper()
	objects, err := install.Render(install.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rules []rbacv1.PolicyRule
	for _, o := range objects {
		if o.GetKind() != kind || !strings.HasPrefix(o.GetName(), apis.OperatorName) {
			continue
		}
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
			t.Fatal(err)
		}
		rules = append(rules, role.Rules...)
	}
	if len(rules) == 0 {
		t.Fatalf("the manifests contain no %s", kind)
	}
	return rules
}

// world is a test's namespace and the operators that work in it.
type world struct {
	*testing.T

	client    client.WithWatch
	namespace string
	probes    string
	user      *rest.Config
	large     bool // hundreds of objects: poll less often and wait longer
	// complaints is the number of errors in the operators' logs.
	loggedErrors atomic.Int64
}

// option changes the operator's configuration.
type option func(*manager.Config)

// extensions makes the operator reconcile claims, templates and pools as well.
func extensions(c *manager.Config) { c.Extensions = true }

// start runs the operator until the test ends, and fails the test if the operator returns an error.
func start(t *testing.T, s *apiserver.Server, options ...option) *world {
	t.Helper()
	w := prepare(t, s)
	w.run(w.probes, options...)
	return w
}

// prepare creates a namespace and a user for operators, without starting one.
func prepare(t *testing.T, s *apiserver.Server) *world {
	t.Helper()
	scheme, err := manager.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.NewWithWatch(s.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, client: admin, namespace: s.Namespace(t), probes: freeAddress(t)}
	w.user = s.User(t, "operator-"+w.namespace, "", granted(t, "ClusterRole")...).Config
	return w
}

// run runs an operator until the test ends.
func (w *world) run(probes string, options ...option) {
	w.Helper()
	w.Cleanup(w.startOperator(probes, options...))
}

// startOperator runs an operator until stop is called. stop fails the test if the operator returns an error or does not
// end.
func (w *world) startOperator(probes string, options ...option) (stop func()) {
	t := w.T
	t.Helper()
	config := manager.Defaults()
	config.MetricsBindAddress, config.HealthProbeBindAddress, config.LeaderElect = "0", probes, false
	for _, o := range options {
		o(&config)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	log := w.logger(ctx)
	go func() { ended <- manager.Run(ctx, config, w.user, log) }()
	return func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the operator ended with %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the operator does not end")
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func (w *world) eventually(what string, check func() error) {
	w.Helper()
	var last error
	every, most := 20*time.Millisecond, 30*time.Second
	if w.large {
		every, most = 250*time.Millisecond, 5*time.Minute
	}
	err := wait.PollUntilContextTimeout(w.Context(), every, most, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		w.Fatalf("%s: %v", what, last)
	}
}

func (w *world) get(name string, into client.Object) error {
	return w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into)
}

func (w *world) gone(name string, object client.Object) {
	w.Helper()
	w.eventually(fmt.Sprintf("%T %s gone", object, name), func() error {
		if err := w.get(name, object); !apierrors.IsNotFound(err) {
			return fmt.Errorf("get: %w", errors.Join(err, errors.New("still there")))
		}
		return nil
	})
}

func (w *world) create(o client.Object) {
	w.Helper()
	o.SetNamespace(w.namespace)
	if err := w.client.Create(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

func sandbox(name string) *agentsv1beta1.Sandbox {
	on := true
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s.Spec.Service = &on
	s.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "main", Image: "localhost/x:v1"}}
	return s
}

// condition waits until the condition has the reason for the current generation, and returns the Sandbox.
func (w *world) condition(name string, kind apis.ConditionType, reason apis.Reason) *agentsv1beta1.Sandbox {
	w.Helper()
	var s agentsv1beta1.Sandbox
	w.eventually(name+" "+string(reason), func() error {
		if err := w.get(name, &s); err != nil {
			return err
		}
		if c := apis.FindCondition(s.Status.Conditions, kind); c == nil || c.Reason != string(reason) ||
			c.ObservedGeneration != s.Generation {
			return fmt.Errorf("conditions are %+v", s.Status.Conditions)
		}
		return nil
	})
	return &s
}

// markPodReady makes a Pod ready.
func (w *world) markPodReady(name string) *corev1.Pod {
	w.Helper()
	var pod corev1.Pod
	w.eventually("Pod "+name, func() error { return w.get(name, &pod) })
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP = "10.1.2.3"
	pod.Status.PodIPs = []corev1.PodIP{{IP: "10.1.2.3"}}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if err := w.client.Status().Update(w.Context(), &pod); err != nil {
		w.Fatal(err)
	}
	return &pod
}

func (w *world) probe(path string) int {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodGet, "http://"+w.probes+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// logMutex stops an operator that briefly outlives its test from writing to the test's log.
var logMutex sync.Mutex
