// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

func newTemplate(options ...builders.TemplateOption) *extensionsv1beta1.SandboxTemplate {
	return builders.Template("python", append([]builders.TemplateOption{builders.WithUID("template-uid")}, options...)...)
}

func unmanaged(s *extensionsv1beta1.SandboxTemplateSpec) {
	s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
}

func newPolicy(change func(*networkingv1.NetworkPolicy)) *networkingv1.NetworkPolicy {
	p := buildPolicy(newTemplate(), nil, []string{"system"})
	if change != nil {
		change(p)
	}
	return p
}

// makeForeign makes it a policy of the template's name that somebody else created or took over.
func makeForeign(p *networkingv1.NetworkPolicy) { p.OwnerReferences, p.Annotations = nil, nil }

func withController(apiVersion, kind, name string, uid types.UID) func(*networkingv1.NetworkPolicy) {
	return func(p *networkingv1.NetworkPolicy) {
		makeForeign(p)
		builders.OwnedByStranger()(p)
		ref := &p.OwnerReferences[0]
		ref.APIVersion, ref.Kind, ref.Name = apiVersion, kind, name
		ref.UID = uid
	}
}

func TestDecide(t *testing.T) {
	group := "extensions.agents.x-k8s.io/"
	going := func(p *networkingv1.NetworkPolicy) { builders.DeletedAt(time.Unix(1, 0))(p) }
	tests := map[string]struct {
		template *extensionsv1beta1.SandboxTemplate
		current  *networkingv1.NetworkPolicy
		want     string
	}{
		"none is made":              {newTemplate(), nil, "create"},
		"one that is right is kept": {newTemplate(), newPolicy(nil), "keep"},
		"annotations of others are no drift": {
			newTemplate(), newPolicy(func(p *networkingv1.NetworkPolicy) { p.Annotations["a"] = "b" }), "keep",
		},
		"an edited rule is mended": {
			newTemplate(), newPolicy(func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = nil }), "patch",
		},
		"a widened selector is mended": {
			newTemplate(), newPolicy(func(p *networkingv1.NetworkPolicy) { p.Spec.PodSelector.MatchLabels["a"] = "b" }), "patch",
		},
		"a lost label is mended": {
			newTemplate(), newPolicy(func(p *networkingv1.NetworkPolicy) { p.Labels = nil }), "patch",
		},
		"one without a controller is refused": {newTemplate(), newPolicy(makeForeign), "reject"},
		"one of another kind is refused": {
			newTemplate(), newPolicy(withController("apps/v1", "ReplicaSet", "python", "template-uid")), "reject",
		},
		"one of another template is refused": {
			newTemplate(), newPolicy(withController(group+"v1beta1", "SandboxTemplate", "other", "other-uid")), "reject",
		},
		"one that goes with its template is ours, of either API version, and stays from now on": {
			newTemplate(), newPolicy(withController(group+"v1alpha1", "SandboxTemplate", "python", "template-uid")), "patch",
		},
		"one that outlived a template of this name is taken over": {
			newTemplate(),
			newPolicy(func(p *networkingv1.NetworkPolicy) { p.Annotations["agents.x-k8s.io/sandbox-template-uid"] = "old-uid" }),
			"patch",
		},
		"one of a deleted template is waited for": {
			newTemplate(), newPolicy(withController(group+"v1beta1", "SandboxTemplate", "python", "old-uid")), "awaitDeletion",
		},
		"one that is going is waited for": {newTemplate(), newPolicy(going), "awaitDeletion"},
		"unmanaged removes ours": {
			newTemplate(builders.WithTemplateSpec(unmanaged)), newPolicy(nil), "remove",
		},
		"unmanaged leaves somebody else's alone": {
			newTemplate(builders.WithTemplateSpec(unmanaged)), newPolicy(makeForeign), "keep",
		},
		"unmanaged makes none": {newTemplate(builders.WithTemplateSpec(unmanaged)), nil, "keep"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.TrimPrefix(fmt.Sprintf("%T", decide(tt.template, tt.current, nil, []string{"system"})), "template.")
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// world is an API server in memory. Its cache shows only policies with the operator's label.
type world struct {
	t           *testing.T
	store       client.WithWatch
	cache       client.Client
	recorder    *events.FakeRecorder
	reconciler  *Reconciler
	writes      []string
	rejectRules error                  // answers the creation of a policy with rules, if set
	onWrite     simulation.Interceptor // intercepts each write, if set
}

func (w *world) write(what string, do func() error) error {
	w.writes = append(w.writes, what)
	if w.onWrite != nil {
		return w.onWrite(what, do)
	}
	return do()
}

func newWorld(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme, extensionsv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{
		t: t, recorder: events.NewFakeRecorder(100),
		store: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(),
	}
	cached := interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			err := c.Get(ctx, key, o, opts...)
			if _, policy := o.(*networkingv1.NetworkPolicy); policy && err == nil &&
				o.GetLabels()["agents.x-k8s.io/sandbox-template-ref-hash"] == "" {
				return apierrors.NewNotFound(networkingv1.Resource("networkpolicies"), key.Name)
			}
			return err
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.write("create", func() error {
				if p, ok := o.(*networkingv1.NetworkPolicy); ok && w.rejectRules != nil && len(p.Spec.Ingress) > 0 {
					return w.rejectRules
				}
				return c.Create(ctx, o, opts...)
			})
		},
		Patch: func(
			ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
		) error {
			return w.write("patch", func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return w.write("delete", func() error { return c.Delete(ctx, o, opts...) })
		},
	})
	w.cache = cached
	var err error
	routers := Routers{Everywhere: []string{"system", "system"}}
	if w.reconciler, err = New(cached, w.store, w.recorder, routers); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) reconcile(template *extensionsv1beta1.SandboxTemplate) time.Duration {
	w.t.Helper()
	result, err := w.reconciler.Reconcile(context.Background(), template)
	if err != nil {
		w.t.Fatal(err)
	}
	return result.RequeueAfter
}

func (w *world) event() string {
	select {
	case e := <-w.recorder.Events:
		return e
	default:
		return ""
	}
}

func TestAPolicyIsMadeOnceMendedAndRemoved(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.reconcile(newTemplate())
	}
	var p networkingv1.NetworkPolicy
	name := client.ObjectKey{Namespace: builders.Namespace, Name: "python-network-policy"}
	if err := w.store.Get(t.Context(), name, &p); err != nil {
		t.Fatal(err)
	}
	p.Labels, p.Spec.Ingress = nil, nil // without the label it is not in the cache
	if err := w.store.Update(t.Context(), &p); err != nil {
		t.Fatal(err)
	}
	w.reconcile(newTemplate())
	w.reconcile(newTemplate())
	w.reconcile(newTemplate(builders.WithTemplateSpec(unmanaged)))
	w.reconcile(newTemplate(builders.WithTemplateSpec(unmanaged)))
	if want := []string{"create", "patch", "delete"}; !slices.Equal(w.writes, want) {
		t.Errorf("writes: %v, want %v", w.writes, want)
	}
}

func TestSomebodyElsesPolicyIsNeverTouchedAndLookedAtAgain(t *testing.T) {
	w := newWorld(t, newPolicy(makeForeign))
	if again := w.reconcile(newTemplate()); again != waits.Blocked {
		t.Errorf("again in %s", again)
	}
	if e := w.event(); !strings.Contains(e, "Warning NetworkPolicyRefused") || !strings.Contains(e, "delete it") {
		t.Errorf("event %q", e)
	}
	w.reconcile(newTemplate(builders.WithTemplateSpec(unmanaged)))
	if len(w.writes) != 0 {
		t.Errorf("writes: %v", w.writes)
	}
}

func TestRulesThatAreRefusedLeaveNoTemplateOpen(t *testing.T) {
	w := newWorld(t)
	w.rejectRules = apierrors.NewInvalid(networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy").GroupKind(), "x", nil)
	w.reconcile(newTemplate(builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}}}
	})))
	var p networkingv1.NetworkPolicy
	if err := w.store.Get(
		t.Context(), client.ObjectKey{Namespace: builders.Namespace, Name: "python-network-policy"}, &p,
	); err != nil {
		t.Fatal(err)
	}
	if len(p.Spec.Ingress) != 0 || len(p.Spec.PolicyTypes) != 2 {
		t.Errorf("spec %+v", p.Spec)
	}
	if e := w.event(); !strings.Contains(e, "NetworkPolicyRejected") {
		t.Errorf("event %q", e)
	}
}
