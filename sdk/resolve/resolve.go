// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Target holds the objects that a reference leads to. Each is nil if it does not exist.
type Target struct {
	Ref       Ref
	Namespace string
	// Claim is nil unless the reference led through a claim.
	Claim *extensionsv1beta1.SandboxClaim
	// Sandbox is nil while a claim has none.
	Sandbox *agentsv1beta1.Sandbox
	// Pod is nil while the Sandbox has none.
	Pod *corev1.Pod
	// PodHidden reports that Pod is nil because the caller may not read it.
	PodHidden bool
	// ClaimGone reports that the claim of this Sandbox, which had the same name, no longer exists: garbage collection
	// will delete the Sandbox.
	ClaimGone bool
}

// Kind returns KindClaim or KindSandbox: the object that commands change.
func (t *Target) Kind() Kind {
	if t.Claim != nil {
		return KindClaim
	}
	return KindSandbox
}

// Name returns the name of the claim, or else of the Sandbox.
func (t *Target) Name() string {
	if t.Claim != nil {
		return t.Claim.Name
	}
	if t.Sandbox != nil {
		return t.Sandbox.Name
	}
	return t.Ref.Name
}

// UID returns the UID of the claim, or else of the Sandbox.
func (t *Target) UID() types.UID {
	if t.Claim != nil {
		return t.Claim.UID
	}
	if t.Sandbox != nil {
		return t.Sandbox.UID
	}
	return ""
}

// Resolver resolves references.
type Resolver struct {
	sandboxes  versioned.Interface
	kubernetes kubernetes.Interface
	clock      clock.PassiveClock
}

// New returns a Resolver. All arguments are required.
func New(sandboxes versioned.Interface, kubernetes kubernetes.Interface, clock clock.PassiveClock) *Resolver {
	return &Resolver{sandboxes: sandboxes, kubernetes: kubernetes, clock: clock}
}

// Objects resolves a reference to its claim, Sandbox and Pod. Those that do not exist are nil, and that is not an
// error: a suspended Sandbox has no Pod, and a new claim no Sandbox.
func (r *Resolver) Objects(ctx context.Context, namespace string, ref Ref) (*Target, error) {
	t, err := r.ClaimAndSandbox(ctx, namespace, ref)
	if err != nil || t.Sandbox == nil || t.Pod != nil {
		return t, err
	}
	t.Pod, err = r.PodOf(ctx, t.Sandbox)
	return t, err
}

// ReadableObjects resolves like Objects, but a Pod that the caller may not read is not an error.
func (r *Resolver) ReadableObjects(ctx context.Context, namespace string, ref Ref) (*Target, error) {
	t, err := r.Objects(ctx, namespace, ref)
	if t != nil && apierrors.IsForbidden(err) {
		t.PodHidden = true
		return t, nil
	}
	return t, err
}

// ClaimAndSandbox resolves a reference to its claim and Sandbox. It reads the Pod only if the reference names it.
func (r *Resolver) ClaimAndSandbox(ctx context.Context, namespace string, ref Ref) (*Target, error) {
	t := &Target{Ref: ref, Namespace: namespace}
	var err error
	switch ref.Kind {
	case KindAny:
		err = r.byName(ctx, t)
	case KindClaim:
		err = r.byClaim(ctx, t)
	case KindSandbox:
		err = r.bySandbox(ctx, t, "")
	case KindPod:
		err = r.byPod(ctx, t)
	default:
		err = &Error{Cause: WrongKind, Message: fmt.Sprintf("%s is not a sandbox: use a claim, a Sandbox or a Pod", ref)}
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// byName tries a claim, then a Sandbox. Claims that are not served or not readable matter only if there is no Sandbox.
func (r *Resolver) byName(ctx context.Context, t *Target) error {
	err := r.byClaim(ctx, t)
	switch {
	case err == nil:
		return nil
	case Is(err, NotFound):
		err := r.bySandbox(ctx, t, "")
		t.ClaimGone = t.Sandbox != nil && ofClaim(t.Sandbox, t.Ref.Name)
		return err
	case Is(err, NotInstalled):
		return r.bySandbox(ctx, t, "")
	case apierrors.IsForbidden(err):
		return r.bySandbox(ctx, t, " (claims were not searched: you may not get sandboxclaims."+apis.GroupExtensions+")")
	}
	return err
}

func (r *Resolver) byClaim(ctx context.Context, t *Target) error {
	claim, err := r.sandboxes.ExtensionsV1beta1().SandboxClaims(t.Namespace).Get(ctx, t.Ref.Name, metav1.GetOptions{})
	switch {
	case NotServed(err):
		return ErrorNotInstalled(apis.ResourceClaims, apis.GroupExtensions)
	case apierrors.IsNotFound(err):
		return errorNotFound(t.Ref, t.Namespace, "")
	case err != nil:
		return fmt.Errorf("read claim %s: %w", t.Ref.Name, err)
	}
	t.Claim = claim
	if claim.Status.SandboxStatus.Name == "" {
		return nil
	}
	sandbox, err := r.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Get(
		ctx, claim.Status.SandboxStatus.Name, metav1.GetOptions{},
	)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read Sandbox %s of claim %s: %w", claim.Status.SandboxStatus.Name, claim.Name, err)
	}
	if holder := metav1.GetControllerOf(sandbox); holder != nil && holder.UID != claim.UID {
		return nil // another claim's: the operator has not caught up
	}
	t.Sandbox = sandbox
	return nil
}

func (r *Resolver) bySandbox(ctx context.Context, t *Target, remark string) error {
	sandbox, err := r.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Get(ctx, t.Ref.Name, metav1.GetOptions{})
	switch {
	case NotServed(err):
		return ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents)
	case apierrors.IsNotFound(err):
		return errorNotFound(t.Ref, t.Namespace, remark)
	case err != nil:
		return fmt.Errorf("read Sandbox %s: %w", t.Ref.Name, err)
	}
	t.Sandbox = sandbox
	return nil
}

func ofClaim(sandbox *agentsv1beta1.Sandbox, name string) bool {
	holder := metav1.GetControllerOf(sandbox)
	return holder != nil && holder.Kind == apis.KindSandboxClaim && holder.Name == name
}

func (r *Resolver) byPod(ctx context.Context, t *Target) error {
	pod, err := r.kubernetes.CoreV1().Pods(t.Namespace).Get(ctx, t.Ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return errorNotFound(t.Ref, t.Namespace, "")
	}
	if err != nil {
		return fmt.Errorf("read Pod %s: %w", t.Ref.Name, err)
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != apis.KindSandbox {
		return &Error{Cause: WrongKind, Message: fmt.Sprintf("Pod %s belongs to no Sandbox: use kubectl for it", pod.Name)}
	}
	sandbox, err := r.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read Sandbox %s of Pod %s: %w", owner.Name, pod.Name, err)
	}
	if sandbox.UID != owner.UID {
		return &Error{
			Cause:   Deleting,
			Message: fmt.Sprintf("Pod %s belongs to an earlier Sandbox %s that is gone", pod.Name, owner.Name),
		}
	}
	t.Pod, t.Sandbox = pod, sandbox
	return nil
}
