// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// maxNamedSandboxes is how many Sandboxes the selector of a list of Pods names; for more, the Pods of all Sandboxes are
// listed.
const maxNamedSandboxes = 50

// Snapshots reads the snapshots of many targets with a constant number of requests. Targets whose conditions suffice
// need none. namespace is that of the targets, or empty if they are in several. The Pods of the targets are filled in.
func (o *Observer) Snapshots(ctx context.Context, namespace string, targets []*resolve.Target) []diagnose.Snapshot {
	all := make([]diagnose.Snapshot, len(targets))
	var open []int
	silent := false
	for i, t := range targets {
		all[i] = FromTarget(t, o.clock.Now())
		if !diagnose.Settled(&all[i]) {
			open = append(open, i)
			silent = silent || OperatorSilent(t)
		}
	}
	if len(open) == 0 {
		return all
	}
	around := o.surroundings(ctx, namespace, targets, open)
	var observation operator.Observation
	if silent {
		observation, _ = operator.Observe(ctx, o.kubernetes) // on an error the operator's state is unknown
	}
	for _, i := range open {
		around.fill(&all[i], targets[i])
		if OperatorSilent(targets[i]) {
			all[i].Operator, all[i].OperatorProblem = o.operatorIn(&observation, targets[i].Namespace)
		}
	}
	return all
}

// surroundings holds what the targets without a settled state need.
type surroundings struct {
	pods       map[types.UID][]corev1.Pod // by the UID of their Sandbox
	podsHidden bool
	volumes    map[types.NamespacedName]*corev1.PersistentVolumeClaim
	events     map[types.UID][]corev1.Event
}

func (o *Observer) surroundings(
	ctx context.Context, namespace string, targets []*resolve.Target, open []int,
) *surroundings {
	s := &surroundings{
		pods:    map[types.UID][]corev1.Pod{},
		volumes: map[types.NamespacedName]*corev1.PersistentVolumeClaim{},
		events:  map[types.UID][]corev1.Event{},
	}
	var hashes []string
	volumes := false
	for _, i := range open {
		if sandbox := targets[i].Sandbox; sandbox != nil {
			hashes = append(hashes, naming.Hash(sandbox.Name))
			volumes = volumes || len(sandbox.Spec.VolumeClaimTemplates) > 0
		}
	}
	if len(hashes) == 0 {
		return s // without a Sandbox there are no Pods or volumes
	}
	pods, err := o.kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: podsOf(hashes)})
	s.podsHidden = apierrors.IsForbidden(err)
	if err == nil {
		for i := range pods.Items {
			if holder := metav1.GetControllerOf(&pods.Items[i]); holder != nil {
				s.pods[holder.UID] = append(s.pods[holder.UID], pods.Items[i])
			}
		}
	}
	if volumes {
		if found, err := o.kubernetes.CoreV1().PersistentVolumeClaims(namespace).List(ctx, metav1.ListOptions{}); err == nil {
			for i := range found.Items {
				volume := &found.Items[i]
				s.volumes[types.NamespacedName{Namespace: volume.Namespace, Name: volume.Name}] = volume
			}
		}
	}
	// Only warnings report problems.
	if found, err := o.kubernetes.CoreV1().Events(namespace).List(
		ctx, metav1.ListOptions{FieldSelector: "type=" + corev1.EventTypeWarning},
	); err == nil {
		for i := range found.Items {
			about := found.Items[i].InvolvedObject.UID
			s.events[about] = append(s.events[about], found.Items[i])
		}
	}
	return s
}

// podsOf returns the selector of the Pods of Sandboxes with these name hashes.
func podsOf(hashes []string) string {
	operator, values := selection.Exists, []string(nil)
	if len(hashes) <= maxNamedSandboxes {
		slices.Sort(hashes)
		operator, values = selection.In, slices.Compact(hashes)
	}
	requirement, err := labels.NewRequirement(apis.LabelSandboxNameHash, operator, values)
	if err != nil {
		return apis.LabelSandboxNameHash // a hash is always the value of a label
	}
	return labels.NewSelector().Add(*requirement).String()
}

func (s *surroundings) fill(f *diagnose.Snapshot, t *resolve.Target) {
	note := func(object metav1.Object) { f.Events = append(f.Events, s.events[object.GetUID()]...) }
	if t.Claim != nil {
		note(t.Claim)
	}
	if t.Sandbox == nil {
		return
	}
	note(t.Sandbox)
	if t.Pod == nil {
		t.Pod = resolve.ChoosePod(t.Sandbox, s.pods[t.Sandbox.UID])
		t.PodHidden = t.Pod == nil && s.podsHidden
		f.Pod, f.PodHidden = t.Pod, t.PodHidden
	}
	if f.Pod != nil {
		note(f.Pod)
	}
	for i := range t.Sandbox.Spec.VolumeClaimTemplates {
		name := naming.PersistentVolumeClaim(t.Sandbox.Spec.VolumeClaimTemplates[i].Name, t.Sandbox.Name)
		if volume := s.volumes[types.NamespacedName{Namespace: t.Sandbox.Namespace, Name: name}]; volume != nil {
			f.Volumes = append(f.Volumes, *volume)
			note(volume)
		}
	}
}
