// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

const (
	// membershipIndex finds the Sandboxes that a pool controls, and those that carry a pool's label and nobody controls.
	membershipIndex = "metadata.warmPool"
	// orphanPrefix is the kind of index value under which the latter are found.
	orphanPrefix = "orphans/"
	// doubt is how long we wait for the cache to show what was written before the API server is asked.
	doubt = 10 * time.Second
)

// indexMembership is the index function of membershipIndex.
func indexMembership(object client.Object) []string {
	if pool := poolOf(object); pool != nil {
		return []string{string(pool.UID)}
	}
	if hash := object.GetLabels()[apis.LabelWarmPoolSandbox]; hash != "" && metav1.GetControllerOfNoCopy(object) == nil {
		return []string{orphanPrefix + hash}
	}
	return nil
}

// observe reads the members, the orphans and the template. What is in flight was noted before: see memory.open.
func (r *Reconciler) observe(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, inFlight pendingWrites, allowed tokenBucket, now time.Time,
) (observed, error) {
	seen := observed{pending: inFlight, bucket: allowed, pods: map[types.UID]podState{}}
	var err error
	if seen.members, err = r.list(ctx, pool.Namespace, string(pool.UID)); err != nil {
		return seen, err
	}
	if seen.orphans, err = r.list(ctx, pool.Namespace, orphanPrefix+naming.Hash(pool.Name)); err != nil {
		return seen, err
	}
	r.expectations.MembersObserved(pool.UID, seen.members)
	for _, member := range seen.members {
		delete(seen.pending.creations, member.Name)
	}
	if err := r.expectUncachedMembers(ctx, pool, &seen, now); err != nil {
		return seen, err
	}
	if err := r.verifyOverdue(ctx, pool, &seen, now); err != nil {
		return seen, err
	}
	var template extensionsv1beta1.SandboxTemplate
	key := client.ObjectKey{Namespace: pool.Namespace, Name: pool.Spec.TemplateRef.Name}
	switch err := r.client.Get(ctx, key, &template); {
	case err == nil:
		seen.template, seen.templateHash, seen.currentRevision = &template, sandboxspec.TemplateHash(&template), provenance.CurrentRevision(&template)
	case !apierrors.IsNotFound(err):
		return seen, fmt.Errorf("get SandboxTemplate %s: %w", key.Name, err)
	}
	seen.contents = r.expectations.ContentOf(pool.UID, seen.members, seen.orphans)
	seen.separateForeign(pool, r.expectations.RecordRevision(pool.UID, seen.currentRevision))
	return seen, r.observePods(ctx, &seen, now)
}

// list reads without a copy: a pool of hundreds is looked at several times a second.
func (r *Reconciler) list(ctx context.Context, namespace, value string) ([]*agentsv1beta1.Sandbox, error) {
	var list agentsv1beta1.SandboxList
	err := r.client.List(ctx, &list,
		client.InNamespace(namespace), client.MatchingFields{membershipIndex: value}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("list Sandboxes: %w", err)
	}
	all := make([]*agentsv1beta1.Sandbox, 0, len(list.Items))
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all, nil
}

// verifyOverdue asks the API server about what should long have been in the cache: a watch may miss what comes and goes quickly, and
// an answer may have been lost.
func (r *Reconciler) verifyOverdue(ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen *observed, now time.Time) error {
	for name, entry := range seen.pending.creations {
		if now.Sub(entry.since) < doubt {
			continue
		}
		is, err := r.getLive(ctx, pool.Namespace, name)
		if err != nil {
			return err
		}
		if is != nil && controlledBy(is, pool) {
			r.expectations.CreationConfirmed(pool.UID, name, now)
			continue
		}
		r.expectations.CreationFailed(pool.UID, name)
		delete(seen.pending.creations, name)
	}
	for _, member := range seen.members {
		since, leaving := seen.pending.deletions[member.UID]
		if !leaving || member.DeletionTimestamp != nil || now.Sub(since) < doubt {
			continue
		}
		is, err := r.getLive(ctx, pool.Namespace, member.Name)
		if err != nil {
			return err
		}
		if is != nil && is.UID == member.UID && is.DeletionTimestamp == nil {
			r.expectations.DeletionFailed(pool.UID, member.UID)
			delete(seen.pending.deletions, member.UID)
			continue
		}
		r.expectations.ExpectDeletion(pool.UID, member.UID, now)
	}
	return nil
}

// getLive reads a Sandbox from the API server; nil means that there is none.
func (r *Reconciler) getLive(ctx context.Context, namespace, name string) (*agentsv1beta1.Sandbox, error) {
	var sandbox agentsv1beta1.Sandbox
	switch err := r.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &sandbox); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Sandbox %s: %w", name, err)
	}
	return &sandbox, nil
}

func controlledBy(sandbox *agentsv1beta1.Sandbox, pool *extensionsv1beta1.SandboxWarmPool) bool {
	ref := poolOf(sandbox)
	return ref != nil && ref.UID == pool.UID
}

// Members that are not Ready are looked at for what blocks them: not at once, because most only start, and then again, because
// nothing else would tell that it changed.
const (
	blockedAfter = 5 * time.Second
	blockedAgain = 15 * time.Second
)

// observePods looks at the Pods of members that are not Ready.
func (r *Reconciler) observePods(ctx context.Context, seen *observed, now time.Time) error {
	for _, member := range seen.activeMembers() {
		if ready(member) || finished(member) {
			continue
		}
		if young := member.CreationTimestamp.Add(blockedAfter).Sub(now); young > 0 {
			seen.podRecheckAfter = waits.Sooner(seen.podRecheckAfter, young)
			continue
		}
		seen.podRecheckAfter = waits.Sooner(seen.podRecheckAfter, blockedAgain)
		key := client.ObjectKeyFromObject(member)
		if name := member.Annotations[apis.AnnotationPodName]; name != "" {
			key.Name = name
		}
		var pod corev1.Pod
		switch err := r.client.Get(ctx, key, &pod); {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return fmt.Errorf("get Pod %s: %w", key.Name, err)
		}
		if metav1.IsControlledBy(&pod, member) {
			seen.pods[member.UID] = podStateOf(&pod)
		}
	}
	return nil
}

func podStateOf(pod *corev1.Pod) podState {
	facts := podState{unschedulable: podreason.IsUnschedulable(pod), cause: podreason.ForPod(pod)}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue {
			facts.scheduledAt = condition.LastTransitionTime.Time
		}
	}
	return facts
}
