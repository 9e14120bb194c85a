// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package permissions

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// timeout covers several requeues after waits.Blocked, which is 15 seconds.
const timeout = time.Minute

// world is a running operator whose user has the permissions of the manifests. The tests act as the kubelet.
type world struct {
	*testing.T

	client            client.Client
	namespace         string
	operatorNamespace string // the operator's own namespace
	user              string
	metrics           string                              // the address; empty: no metrics
	rules             []rbacv1.PolicyRule                 // in watched namespaces, and cluster-scoped
	ownRules          []rbacv1.PolicyRule                 // in the operator's own namespace
	beforeRequest     atomic.Pointer[func(*http.Request)] // called before each request of the operator
}

// roleRules returns the rules of the operator's roles in watched namespaces, in its own, and cluster-scoped.
func roleRules(t *testing.T, options install.Options) (work, own, cluster []rbacv1.PolicyRule) {
	t.Helper()
	objects, err := install.Render(options)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if !strings.HasSuffix(o.GetKind(), "Role") || !strings.HasPrefix(o.GetName(), apis.OperatorName) {
			continue
		}
		var role rbacv1.Role
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(role.Name, "-leader-election"):
			own = append(own, role.Rules...)
		case strings.HasSuffix(role.Name, "-metrics"):
			cluster = append(cluster, role.Rules...)
		default:
			work = append(work, role.Rules...)
		}
	}
	return work, own, cluster
}

// start runs an operator until the test ends. When confined, the operator watches only the test's namespace and has no
// permissions elsewhere.
func start(t *testing.T, options install.Options, confined bool) *world {
	t.Helper()
	scheme, err := manager.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(server.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, client: admin, namespace: server.Namespace(t), operatorNamespace: server.Namespace(t)}
	config := manager.Defaults()
	config.MetricsBindAddress, config.HealthProbeBindAddress = "0", freeAddress(t)
	config.Extensions, config.LeaderElectionNamespace = !options.CoreOnly, w.operatorNamespace
	if confined {
		options.WatchNamespaces = []string{w.namespace}
		config.WatchNamespaces = options.WatchNamespaces
	}
	if secure, _ := options.Flag("metrics-secure"); secure == "true" {
		w.metrics = freeAddress(t)
		config.MetricsBindAddress, config.MetricsSecure = w.metrics, true
	}
	work, own, cluster := roleRules(t, options)
	w.rules, w.ownRules, w.user = slices.Concat(work, cluster), own, "operator-"+w.namespace
	where := ""
	if confined {
		where = w.namespace
	}
	user := server.User(t, w.user, where, work...)
	server.Grant(t, w.user, w.operatorNamespace, own...)
	if len(cluster) > 0 {
		server.Grant(t, w.user, "", cluster...)
	}
	user.Config.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
			if before := w.beforeRequest.Load(); before != nil {
				(*before)(r)
			}
			return next.RoundTrip(r)
		})
	}
	w.run(config, user.Config)
	return w
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

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func (w *world) run(config manager.Config, restConfig *rest.Config) {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Run(ctx, config, restConfig, logr.Discard()) }()
	w.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				w.Errorf("the operator ended with %v", err)
			}
		case <-time.After(timeout):
			w.Error("the operator does not end")
		}
	})
}

func (w *world) eventually(what string, check func() error) {
	w.Helper()
	var last error
	err := wait.PollUntilContextTimeout(w.Context(), 50*time.Millisecond, timeout, true,
		func(context.Context) (bool, error) {
			w.updatePods()
			last = check()
			return last == nil || w.wasRefused(), nil
		})
	switch {
	case last == nil && err == nil:
	case w.wasRefused():
		w.checkGranted()
		w.Fatalf("%s: the operator lacks a permission: %v", what, last)
	default:
		w.Fatalf("%s: %v", what, last)
	}
}

func (w *world) get(name string, into client.Object) error {
	return w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into)
}

func (w *world) gone(name string, object client.Object) {
	w.Helper()
	w.eventually(fmt.Sprintf("%T %s gone", object, name), func() error {
		if err := w.get(name, object); err == nil {
			return errors.New("it still exists")
		} else if !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
}

func (w *world) create(objects ...client.Object) {
	w.Helper()
	for _, o := range objects {
		o.SetNamespace(w.namespace)
		if err := w.client.Create(w.Context(), o); err != nil {
			w.Fatal(err)
		}
	}
}

// edit reads an object, changes it, and writes the difference.
func edit[T client.Object](w *world, name string, object T, change func(T)) {
	w.Helper()
	if err := w.get(name, object); err != nil {
		w.Fatal(err)
	}
	was, _ := object.DeepCopyObject().(client.Object) // a copy of a client.Object is one
	change(object)
	if err := w.client.Patch(w.Context(), object, client.MergeFrom(was)); err != nil {
		w.Fatal(err)
	}
}

// missingImage is an image that cannot be pulled.
const missingImage = "localhost/none:v1"

// updatePods makes all Pods ready except those with the missing image.
func (w *world) updatePods() {
	var pods corev1.PodList
	if err := w.client.List(w.Context(), &pods, client.InNamespace(w.namespace)); err != nil {
		return
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded || pod.DeletionTimestamp != nil {
			continue
		}
		if pod.Spec.Containers[0].Image == missingImage {
			pod.Status = builders.Pod("", builders.ImagePullError()).Status
			_ = w.client.Status().Update(w.Context(), pod)
			continue
		}
		pod.Status.Phase, pod.Status.PodIP, pod.Status.PodIPs = corev1.PodRunning, "10.1.2.3", []corev1.PodIP{
			{IP: "10.1.2.3"},
		}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		_ = w.client.Status().Update(w.Context(), pod) // a Pod that has changed meanwhile is updated in the next round
	}
}
