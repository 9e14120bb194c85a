// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// editRole is the ClusterRole that the tenant has.
const editRole = "agent-sandbox-edit"

// place is the cluster that all attempts share, with one operator.
type place struct {
	admin   client.WithWatch
	scheme  *runtime.Scheme
	metrics string // the address of the operator's metrics and profiles
}

// startOperator installs the roles, and runs the operator until the test ends. Its metrics are secure, and it serves
// every profile.
func startOperator(t *testing.T) *place {
	t.Helper()
	scheme, err := manager.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.NewWithWatch(server.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{admin: admin, scheme: scheme, metrics: freeAddress(t)}
	config := manager.Defaults()
	config.Extensions, config.LeaderElect, config.HealthProbeBindAddress = true, false, freeAddress(t)
	config.MetricsBindAddress, config.MetricsSecure, config.EnablePprofDebug = p.metrics, true, true
	config.RouterNamespaces = []string{"agent-sandbox-system"}
	user := server.User(t, "operator", "", p.installRoles(t)...)
	p.waitForOwnerReferenceChecks(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Run(ctx, config, user.Config, logr.Discard()) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the operator ended with %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the operator does not end")
		}
	})
	return p
}

// installRoles creates the role of tenants, and returns the rules of the operator.
func (p *place) installRoles(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	objects, err := install.Render(install.Options{Args: []string{"--metrics-secure"}})
	if err != nil {
		t.Fatal(err)
	}
	var rules []rbacv1.PolicyRule
	for _, o := range objects {
		var role rbacv1.ClusterRole
		switch {
		case o.GetKind() != "ClusterRole":
		case o.GetName() == editRole:
			if err := p.admin.Create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(o.GetName(), apis.OperatorName):
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
				t.Fatal(err)
			}
			rules = append(rules, role.Rules...)
		}
	}
	return rules
}

// waitForOwnerReferenceChecks waits until the admission plugin knows our kinds, which were created after its start.
func (p *place) waitForOwnerReferenceChecks(t *testing.T) {
	t.Helper()
	owners := []client.Object{
		builders.Sandbox("x", builders.WithUID("x")), builders.Claim("x", "x", builders.WithUID("x")),
		builders.Pool("x", "x", builders.WithUID("x")),
	}
	for _, owner := range owners {
		var last error
		err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true,
			func(ctx context.Context) (bool, error) {
				pod := builders.Pod("x", builders.OwnedBy(owner), builders.InNamespace("default"))
				last = p.admin.Create(ctx, pod, client.DryRunAll)
				return last == nil, nil
			})
		if err != nil {
			t.Fatal(last)
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

// tenancy is one tenant: a ServiceAccount with the role in a namespace that others use too.
type tenancy struct {
	*testing.T
	*place

	tenant    client.Client
	token     string
	namespace string
	others    []client.Object // what the tenant must not change, as it was created
	want      outcome         // of the attempt
}

func newTenancy(t *testing.T, p *place) *tenancy {
	t.Helper()
	w := &tenancy{T: t, place: p, namespace: server.Namespace(t)}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "tenant"}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: account.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: editRole},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: account.Name}},
	}
	for _, object := range []client.Object{account, binding} {
		if err := p.admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	request, err := kubernetes.NewForConfigOrDie(server.Config()).CoreV1().ServiceAccounts(w.namespace).CreateToken(
		t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.token = request.Status.Token
	config := rest.AnonymousClientConfig(server.Config())
	config.BearerToken, config.QPS = w.token, -1
	w.tenant, err = client.New(config, client.Options{Scheme: p.scheme, Mapper: p.admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	w.eventually("the role is in force", func() error {
		return w.tenant.Create(t.Context(), w.in(builders.Sandbox("allowed")), client.DryRunAll)
	})
	return w
}

// in puts an object into the tenant's namespace.
func (w *tenancy) in(object client.Object) client.Object {
	object.SetNamespace(w.namespace)
	return object
}

// given creates objects of others, which may change.
func (w *tenancy) given(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		if err := w.admin.Create(w.Context(), w.in(object)); err != nil {
			w.Fatal(err)
		}
	}
}

// protected creates objects of others that nothing may change.
func (w *tenancy) protected(objects ...client.Object) {
	w.Helper()
	w.given(objects...)
	for _, object := range objects {
		w.others = append(w.others, object.DeepCopyObject().(client.Object))
	}
}

// checkOthers fails the test if an object of others was changed, deleted or replaced.
func (w *tenancy) checkOthers() {
	w.Helper()
	for _, was := range w.others {
		now := was.DeepCopyObject().(client.Object)
		if err := w.get(was.GetName(), now); err != nil {
			w.Errorf("%T %s of others: %v", was, was.GetName(), err)
		} else if now.GetResourceVersion() != was.GetResourceVersion() {
			w.Errorf("%T %s of others was changed:\n%+v\n%+v", was, was.GetName(), was, now)
		}
	}
}

// serveOthers creates objects in a namespace in which the tenants have no rights.
func (w *tenancy) serveOthers() {
	w.Helper()
	w.protected(builders.Pod("box"), builders.Service("box"), builders.PersistentVolumeClaim("data-box", "1Gi"),
		builders.Template("python"))
}

// creates makes the tenant create objects, which must be possible.
func (w *tenancy) creates(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		if err := w.tenant.Create(w.Context(), w.in(object)); err != nil {
			w.Fatalf("the tenant creates %s: %v", object.GetName(), err)
		}
	}
}

// edits makes the tenant change an object, which must be possible.
func edits[T client.Object](w *tenancy, name string, object T, change func(T)) {
	w.Helper()
	if err := tryEdit(w, name, object, change); err != nil {
		w.Fatalf("the tenant edits %s: %v", name, err)
	}
}

// tryEdit makes the tenant try to change an object. The role has no read permission, and needs none for a patch.
func tryEdit[T client.Object](w *tenancy, name string, object T, change func(T)) error {
	w.Helper()
	if err := w.get(name, object); err != nil {
		w.Fatal(err)
	}
	was := object.DeepCopyObject().(client.Object)
	change(object)
	return w.tenant.Patch(w.Context(), object, client.MergeFrom(was))
}

func (w *tenancy) get(name string, into client.Object) error {
	return w.admin.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into)
}

func (w *tenancy) eventually(what string, check func() error) {
	w.Helper()
	var last error
	err := wait.PollUntilContextTimeout(w.Context(), 20*time.Millisecond, 30*time.Second, true,
		func(context.Context) (bool, error) {
			last = check()
			return last == nil, nil
		})
	if err != nil {
		w.Fatalf("%s: %v", what, last)
	}
}

// markPodsReady makes all Pods ready.
func (w *tenancy) markPodsReady() {
	var pods corev1.PodList
	if err := w.admin.List(w.Context(), &pods, client.InNamespace(w.namespace)); err != nil {
		return
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase == corev1.PodRunning || pod.DeletionTimestamp != nil {
			continue
		}
		pod.Status = builders.Pod("", builders.Ready("10.1.2.3")).Status
		_ = w.admin.Status().Update(w.Context(), pod) // a Pod that has changed meanwhile is updated in the next round
	}
}
