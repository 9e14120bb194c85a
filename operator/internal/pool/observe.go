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
	// orphans is the kind of index value under which the latter are found.
	orphans = "orphans/"
	// doubt is how long we wait for the cache to show what was written before the API server is asked.
	doubt = 10 * time.Second
)

// membership is the index function of membershipIndex.
func membership(object client.Object) []string {
	if pool := poolOf(object); pool != nil {
		return []string{string(pool.UID)}
	}
	if hash := object.GetLabels()[apis.LabelWarmPoolSandbox]; hash != "" && metav1.GetControllerOfNoCopy(object) == nil {
		return []string{orphans + hash}
	}
	return nil
}

// observe reads the members, the orphans and the template. What is in flight was noted before: see memory.open.
func (r *Reconciler) observe(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, inFlight flight, allowed credit, now time.Time,
) (observed, error) {
	seen := observed{flight: inFlight, credit: allowed, pods: map[types.UID]podFacts{}}
	var err error
	if seen.members, err = r.list(ctx, pool.Namespace, string(pool.UID)); err != nil {
		return seen, err
	}
	if seen.orphans, err = r.list(ctx, pool.Namespace, orphans+naming.Hash(pool.Name)); err != nil {
		return seen, err
	}
	r.memory.settle(pool.UID, seen.members)
	for _, member := range seen.members {
		delete(seen.flight.joining, member.Name)
	}
	if err := r.recall(ctx, pool, &seen, now); err != nil {
		return seen, err
	}
	if err := r.resolve(ctx, pool, &seen, now); err != nil {
		return seen, err
	}
	var template extensionsv1beta1.SandboxTemplate
	key := client.ObjectKey{Namespace: pool.Namespace, Name: pool.Spec.TemplateRef.Name}
	switch err := r.client.Get(ctx, key, &template); {
	case err == nil:
		seen.template, seen.blueprint, seen.current = &template, sandboxspec.TemplateHash(&template), provenance.CurrentRevision(&template)
	case !apierrors.IsNotFound(err):
		return seen, fmt.Errorf("get SandboxTemplate %s: %w", key.Name, err)
	}
	seen.contents = r.memory.examine(pool.UID, seen.members, seen.orphans)
	seen.expel(pool, r.memory.makes(pool.UID, seen.current))
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

// resolve asks the API server about what should long have been in the cache: a watch may miss what comes and goes quickly, and
// an answer may have been lost.
func (r *Reconciler) resolve(ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen *observed, now time.Time) error {
	for name, entry := range seen.flight.joining {
		if now.Sub(entry.since) < doubt {
			continue
		}
		is, err := r.ask(ctx, pool.Namespace, name)
		if err != nil {
			return err
		}
		if is != nil && ours(is, pool) {
			r.memory.joined(pool.UID, name, now)
			continue
		}
		r.memory.unjoin(pool.UID, name)
		delete(seen.flight.joining, name)
	}
	for _, member := range seen.members {
		since, leaving := seen.flight.leaving[member.UID]
		if !leaving || member.DeletionTimestamp != nil || now.Sub(since) < doubt {
			continue
		}
		is, err := r.ask(ctx, pool.Namespace, member.Name)
		if err != nil {
			return err
		}
		if is != nil && is.UID == member.UID && is.DeletionTimestamp == nil {
			r.memory.stay(pool.UID, member.UID)
			delete(seen.flight.leaving, member.UID)
			continue
		}
		r.memory.leave(pool.UID, member.UID, now)
	}
	return nil
}

// ask reads a Sandbox from the API server; nil means that there is none.
func (r *Reconciler) ask(ctx context.Context, namespace, name string) (*agentsv1beta1.Sandbox, error) {
	var sandbox agentsv1beta1.Sandbox
	switch err := r.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &sandbox); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Sandbox %s: %w", name, err)
	}
	return &sandbox, nil
}

func ours(sandbox *agentsv1beta1.Sandbox, pool *extensionsv1beta1.SandboxWarmPool) bool {
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
	for _, member := range seen.live() {
		if ready(member) || finished(member) {
			continue
		}
		if young := member.CreationTimestamp.Add(blockedAfter).Sub(now); young > 0 {
			seen.recheck = waits.Sooner(seen.recheck, young)
			continue
		}
		seen.recheck = waits.Sooner(seen.recheck, blockedAgain)
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
			seen.pods[member.UID] = factsOf(&pod)
		}
	}
	return nil
}

func factsOf(pod *corev1.Pod) podFacts {
	facts := podFacts{unschedulable: podreason.IsUnschedulable(pod), cause: podreason.ForPod(pod)}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue {
			facts.scheduled = condition.LastTransitionTime.Time
		}
	}
	return facts
}
