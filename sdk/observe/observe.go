// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package observe reads what a diagnosis needs. Objects that the caller may not read are left out: a diagnosis without
// them is better than none.
package observe

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Observer reads snapshots.
type Observer struct {
	sandboxes  versioned.Interface
	kubernetes kubernetes.Interface
	clock      clock.PassiveClock
}

// New returns an Observer. All arguments are required.
func New(sandboxes versioned.Interface, kubernetes kubernetes.Interface, clock clock.PassiveClock) *Observer {
	return &Observer{sandboxes: sandboxes, kubernetes: kubernetes, clock: clock}
}

// FromTarget returns the snapshot of the target alone, without further reads.
func FromTarget(t *resolve.Target, now time.Time) diagnose.Snapshot {
	return diagnose.Snapshot{
		Now: now, Claim: t.Claim, Sandbox: t.Sandbox, Pod: t.Pod, PodHidden: t.PodHidden, ClaimGone: t.ClaimGone,
	}
}

// Snapshot reads the target's surroundings: volumes, events and, if the operator has not responded yet, its Deployment.
func (o *Observer) Snapshot(ctx context.Context, t *resolve.Target) diagnose.Snapshot {
	f := FromTarget(t, o.clock.Now())
	f.Volumes = o.volumes(ctx, t)
	f.Events = o.events(ctx, t, f.Volumes)
	o.addObstacles(ctx, t, &f)
	o.addTemplate(ctx, t, &f)
	if OperatorSilent(t) {
		f.Operator, f.OperatorProblem = o.Operator(ctx, t.Namespace)
	}
	return f
}

// OperatorSilent reports whether the operator has not responded yet to the current generation of the target.
func OperatorSilent(t *resolve.Target) bool {
	if t.Claim != nil && diagnose.Current(t.Claim.Status.Conditions, apis.ConditionReady, t.Claim.Generation) == nil {
		return true
	}
	return t.Sandbox != nil &&
		diagnose.Current(t.Sandbox.Status.Conditions, apis.ConditionReady, t.Sandbox.Generation) == nil
}

func (o *Observer) volumes(ctx context.Context, t *resolve.Target) []corev1.PersistentVolumeClaim {
	if t.Sandbox == nil {
		return o.keptVolumes(ctx, t)
	}
	var all []corev1.PersistentVolumeClaim
	for i := range t.Sandbox.Spec.VolumeClaimTemplates {
		name := naming.PersistentVolumeClaim(t.Sandbox.Spec.VolumeClaimTemplates[i].Name, t.Sandbox.Name)
		if found, err := o.kubernetes.CoreV1().PersistentVolumeClaims(t.Namespace).Get(
			ctx, name, metav1.GetOptions{},
		); err == nil {
			all = append(all, *found)
		}
	}
	return all
}

// keptVolumes returns the volumes that outlived the Sandbox of a claim.
func (o *Observer) keptVolumes(ctx context.Context, t *resolve.Target) []corev1.PersistentVolumeClaim {
	if t.Claim == nil {
		return nil
	}
	list, err := o.kubernetes.CoreV1().PersistentVolumeClaims(t.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: apis.LabelClaimUID + "=" + string(t.Claim.UID),
	})
	if err != nil {
		return nil
	}
	return volume.KeptFor(t.Claim, list.Items)
}

// events returns the events about the target's objects.
func (o *Observer) events(
	ctx context.Context, t *resolve.Target, volumes []corev1.PersistentVolumeClaim,
) []corev1.Event {
	var objects []metav1.Object
	if t.Claim != nil {
		objects = append(objects, t.Claim)
	}
	if t.Sandbox != nil {
		objects = append(objects, t.Sandbox)
	}
	if t.Pod != nil {
		objects = append(objects, t.Pod)
	}
	for i := range volumes {
		objects = append(objects, &volumes[i])
	}
	return o.Events(ctx, t.Namespace, objects...)
}

// Events returns the events about objects of a namespace, oldest first. Events about earlier objects of the same names
// are left out, and so are those that the caller may not read.
func (o *Observer) Events(ctx context.Context, namespace string, objects ...metav1.Object) []corev1.Event {
	about := map[string][]types.UID{}
	for _, object := range objects {
		about[object.GetName()] = append(about[object.GetName()], object.GetUID())
	}
	var all []corev1.Event
	for name, uids := range about {
		selector := fields.OneTermEqualSelector("involvedObject.name", name).String()
		found, err := o.kubernetes.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			continue
		}
		for i := range found.Items {
			if slices.Contains(uids, found.Items[i].InvolvedObject.UID) {
				all = append(all, found.Items[i])
			}
		}
	}
	slices.SortStableFunc(all, func(a, b corev1.Event) int {
		return diagnose.EventTime(&a).Compare(diagnose.EventTime(&b).Time)
	})
	return all
}

// AddOperator adds what is known about the operator to the snapshot of a target. That none was found counts only if
// none has answered: another implementation may run.
func AddOperator(f *diagnose.Snapshot, t *resolve.Target, problem operator.Problem) {
	if problem.Absent && !OperatorSilent(t) {
		return
	}
	f.Operator, f.OperatorProblem = diagnose.StateOf(problem), problem
}

// Operator returns the state of the operator of a namespace and its problem, as far as the caller may read it.
func (o *Observer) Operator(ctx context.Context, namespace string) (diagnose.Operator, operator.Problem) {
	observation, err := operator.Observe(ctx, o.kubernetes)
	if err != nil {
		return diagnose.OperatorUnknown, operator.Problem{}
	}
	return o.operatorIn(&observation, namespace)
}

// operatorIn returns the state of the operator of a namespace. A Lease that is only old by this machine's clock leaves
// it unknown.
func (o *Observer) operatorIn(
	observation *operator.Observation, namespace string,
) (diagnose.Operator, operator.Problem) {
	if !observation.Known {
		return diagnose.OperatorUnknown, operator.Problem{}
	}
	problem := operator.ProblemFor(*observation, namespace, o.clock.Now())
	if problem.Message != "" && !problem.Confirmed(operator.Problem{}) {
		return diagnose.OperatorUnknown, operator.Problem{}
	}
	return diagnose.StateOf(problem), problem
}
