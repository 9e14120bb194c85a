// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"cmp"
	"net/netip"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// State says whether a Sandbox can take requests.
type State int

// The states.
const (
	Starting State = iota // its Pod is not Ready, but may take requests
	Ready
	Suspended
	Expired
	Finished
)

// Sandbox is what the router keeps of a Sandbox. It is read-only.
type Sandbox struct {
	metav1.ObjectMeta // only namespace, name, UID and resource version

	PodName   string
	Claim     types.UID // of the claim that controls it; empty: none does
	Service   string    // empty: it has none
	Addresses []netip.Addr
	State     State
}

// Claim is what the router keeps of a SandboxClaim. It is read-only.
type Claim struct {
	metav1.ObjectMeta // only namespace, name, UID and resource version

	Sandbox    string
	SandboxUID types.UID
}

// keep returns the metadata that the informers and the router need. Namespaces are few, and share their memory.
func keep(object *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: unique.Make(object.Namespace).Value(), Name: object.Name, UID: object.UID,
		ResourceVersion: object.ResourceVersion,
	}
}

// recordSandbox is the transform of the informer for Sandboxes. Client-go may call it with its own result.
func recordSandbox(object any) (any, error) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	if sandbox, ok := object.(*agentsv1beta1.Sandbox); ok {
		return newSandbox(sandbox), nil
	}
	return object, nil
}

func newSandbox(s *agentsv1beta1.Sandbox) *Sandbox {
	is := &Sandbox{ObjectMeta: keep(&s.ObjectMeta), Service: s.Status.Service, State: stateOf(s)}
	is.PodName = cmp.Or(s.Annotations[apis.AnnotationPodName], s.Name)
	if is.PodName == is.Name {
		is.PodName = is.Name // shares its memory
	}
	if is.Service == is.Name {
		is.Service = is.Name
	}
	if owner := metav1.GetControllerOfNoCopy(s); owner != nil && owner.Kind == apis.KindSandboxClaim {
		is.Claim = owner.UID
	}
	is.Addresses = parseAddresses(s.Status.PodIPs)
	return is
}

func parseAddresses(texts []string) []netip.Addr {
	all := make([]netip.Addr, 0, len(texts))
	for _, text := range texts {
		if ip, err := netip.ParseAddr(text); err == nil {
			all = append(all, ip.Unmap())
		}
	}
	return all
}

func stateOf(s *agentsv1beta1.Sandbox) State {
	if ready := apis.FindCondition(s.Status.Conditions, apis.ConditionReady); ready != nil {
		if ready.Reason == string(apis.ReasonSandboxExpired) {
			return Expired
		}
	}
	if suspended, _ := s.Spec.SuspensionRequested(); suspended {
		return Suspended
	}
	switch {
	case apis.ConditionTrue(s.Status.Conditions, apis.ConditionFinished):
		return Finished
	case apis.ConditionTrue(s.Status.Conditions, apis.ConditionReady):
		return Ready
	}
	return Starting
}

// recordClaim is the transform of the informer for claims.
func recordClaim(object any) (any, error) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	if claim, ok := object.(*extensionsv1beta1.SandboxClaim); ok {
		return newClaim(claim), nil
	}
	return object, nil
}

func newClaim(c *extensionsv1beta1.SandboxClaim) *Claim {
	is := &Claim{
		ObjectMeta: keep(&c.ObjectMeta), Sandbox: c.Status.SandboxStatus.Name, SandboxUID: c.Status.SandboxStatus.UID,
	}
	if is.Sandbox == is.Name {
		is.Sandbox = is.Name
	}
	return is
}
