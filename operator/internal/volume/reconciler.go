// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package volume

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
)

// Reconciler annotates volumes with the time since which they are unused. It holds no state of its own and is safe for
// concurrent use.
type Reconciler struct {
	client client.Client // reads from the cache, writes to the API server
	live   client.Reader // reads from the API server
	clock  clock.PassiveClock
}

// New returns a Reconciler. All arguments are required.
func New(c client.Client, live client.Reader, clk clock.PassiveClock) (*Reconciler, error) {
	if c == nil || live == nil || clk == nil {
		return nil, fmt.Errorf("volume reconciler: a dependency is missing")
	}
	return &Reconciler{client: c, live: live, clock: clk}, nil
}

// Reconcile annotates one volume if it is unused and not annotated yet.
func (r *Reconciler) Reconcile(ctx context.Context, volume *corev1.PersistentVolumeClaim) (reconcile.Result, error) {
	if !lacksUnusedSince(volume) {
		return reconcile.Result{}, nil
	}
	seen, err := r.observe(ctx, volume)
	if err != nil {
		return reconcile.Result{}, err
	}
	want := decide(r.clock.Now(), volume, seen)
	if want == nil {
		return reconcile.Result{}, nil
	}
	err = r.client.Patch(ctx, want, client.MergeFromWithOptions(volume, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerSandbox))
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil
	}
	return errorclass.Result(0, err)
}

// lacksUnusedSince reports whether the volume was created for a Sandbox, has no controller, and is not annotated as
// unused.
func lacksUnusedSince(volume *corev1.PersistentVolumeClaim) bool {
	return volume.DeletionTimestamp == nil && metav1.GetControllerOf(volume) == nil &&
		volume.Labels[apis.LabelSandboxNameHash] != "" &&
		volume.Annotations[apis.AnnotationAssignedSandboxName] != "" && volume.Annotations[apis.AnnotationUnusedSince] == ""
}

// observe returns the Sandbox that the volume names, or nil if the API server has none.
func (r *Reconciler) observe(
	ctx context.Context, volume *corev1.PersistentVolumeClaim,
) (*agentsv1beta1.Sandbox, error) {
	key := client.ObjectKey{Namespace: volume.Namespace, Name: volume.Annotations[apis.AnnotationAssignedSandboxName]}
	return lookup.GetConfirmed(ctx, r.client, r.live, key, &agentsv1beta1.Sandbox{})
}

// decide returns the annotated volume, or nil if a Sandbox has it.
func decide(
	now time.Time, volume *corev1.PersistentVolumeClaim, sandbox *agentsv1beta1.Sandbox,
) *corev1.PersistentVolumeClaim {
	if sandbox != nil && slices.Contains(volumeNames(sandbox), volume.Name) {
		return nil
	}
	want := volume.DeepCopy()
	want.Annotations[apis.AnnotationUnusedSince] = now.UTC().Format(time.RFC3339)
	return want
}

// volumeNames returns the names of a Sandbox's PersistentVolumeClaims.
func volumeNames(sandbox *agentsv1beta1.Sandbox) []string {
	var names []string
	for i := range sandbox.Spec.VolumeClaimTemplates {
		names = append(names, naming.PersistentVolumeClaim(sandbox.Spec.VolumeClaimTemplates[i].Name, sandbox.Name))
	}
	return names
}
