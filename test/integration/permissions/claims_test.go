// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package permissions

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// exerciseClaims exercises templates, pools and claims.
func exerciseClaims(w *world) {
	w.Helper()
	// With Recreate, the claim reconciler reads pools and templates from the API server.
	strategy := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	w.create(builders.Template("python"), builders.Pool("warm", "python", builders.WithReplicas(2), strategy))
	broken := builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.Spec.Containers[0].Image = missingImage
	})
	w.create(builders.Template("broken", broken), builders.Pool("broken", "broken", builders.WithReplicas(1)))
	w.poolReady("warm", 2)
	edit(w, "python-network-policy", &networkingv1.NetworkPolicy{}, func(p *networkingv1.NetworkPolicy) {
		p.Spec.Egress = nil
	})

	w.changeMemberAtHandover()
	w.create(builders.Claim("first", "python"))
	name := w.waitForSandbox("first")
	w.beforeRequest.Store(nil)
	if err := w.client.Delete(w.Context(), &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
	}); err != nil {
		w.Fatal(err)
	}
	w.eventually("the claim notices", func() error {
		var claim extensionsv1beta1.SandboxClaim
		if err := w.get("first", &claim); err != nil {
			return err
		}
		if claim.Status.SandboxStatus.Name == name {
			return errors.New("its status still names the deleted Sandbox")
		}
		return nil
	})
	w.create(builders.Claim("cold", "python", builders.WithWarmPool("none")),
		builders.Claim("named", "", builders.FromPool("warm")))
	w.waitForSandbox("cold")
	w.waitForSandbox("named")
	for _, policy := range []extensionsv1beta1.ShutdownPolicy{
		extensionsv1beta1.ShutdownPolicyRetain, extensionsv1beta1.ShutdownPolicyDelete,
	} {
		name := "over-" + strings.ToLower(string(policy))
		w.create(builders.Claim(name, "python", builders.WithClaimShutdown(time.Now().Add(2*time.Second), policy)))
		member := w.waitForSandbox(name)
		if policy == extensionsv1beta1.ShutdownPolicyDelete {
			w.gone(name, &extensionsv1beta1.SandboxClaim{}) // in a cluster, the garbage collector deletes its Sandbox
			continue
		}
		w.gone(member, &agentsv1beta1.Sandbox{})
	}
	w.poolReady("warm", 2)
	edit(w, "warm", &extensionsv1beta1.SandboxWarmPool{}, func(p *extensionsv1beta1.SandboxWarmPool) {
		p.Spec.Replicas = new(int32(0))
	})
	w.poolReady("warm", 0)
	edit(w, "python", &extensionsv1beta1.SandboxTemplate{}, func(t *extensionsv1beta1.SandboxTemplate) {
		t.Spec.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
	})
	w.gone("python-network-policy", &networkingv1.NetworkPolicy{})
}

// changeMemberAtHandover changes a pool member just before the operator's first patch hands it over to a claim.
func (w *world) changeMemberAtHandover() {
	var once atomic.Bool
	change := func(r *http.Request) {
		_, name, member := strings.Cut(r.URL.Path, "/sandboxes/")
		if !member || r.Method != http.MethodPatch || strings.Contains(name, "/") ||
			r.URL.Query().Get("fieldManager") != apis.FieldOwnerClaim || !once.CompareAndSwap(false, true) {
			return
		}
		edit(w, name, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
			metav1.SetMetaDataAnnotation(&s.ObjectMeta, "test", "changed")
		})
	}
	w.beforeRequest.Store(&change)
}

func (w *world) poolReady(name string, size int32) {
	w.Helper()
	w.eventually(fmt.Sprintf("%s has %d ready members", name, size), func() error {
		var pool extensionsv1beta1.SandboxWarmPool
		if err := w.get(name, &pool); err != nil {
			return err
		}
		if s := pool.Status; s.Replicas != size || s.ReadyReplicas != size || s.ObservedGeneration != pool.Generation {
			return fmt.Errorf("status %+v of generation %d", s, pool.Generation)
		}
		return nil
	})
}

// waitForSandbox waits until a claim has a Sandbox, and returns its name.
func (w *world) waitForSandbox(claim string) string {
	w.Helper()
	var now extensionsv1beta1.SandboxClaim
	w.eventually("claim "+claim+" is bound", func() error {
		if err := w.get(claim, &now); err != nil {
			return err
		}
		if now.Status.SandboxStatus.Name == "" {
			return fmt.Errorf("status %+v", now.Status)
		}
		return nil
	})
	return now.Status.SandboxStatus.Name
}
