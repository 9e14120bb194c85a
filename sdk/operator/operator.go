// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operator determines whether an operator is responsible for a namespace, for callers that wait for what it
// does.
//
// Invariants:
//   - only what was read is reported: a caller without permissions gets no report;
//   - a Lease that is being renewed means that there is a leader, whatever the Deployments say: it may be another
//     implementation;
//   - clocks differ: an old Lease alone counts only if it stays unchanged.
package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
)

// Observation is what can be read about operators.
type Observation struct {
	// Deployments are those of operators. Known is false if none could be read, and AllNamespaces is false if only the
	// default namespace could.
	Deployments          []appsv1.Deployment
	Known, AllNamespaces bool
	// Leases are the leaders' Leases by namespace: nil if there is none, absent if it could not be read.
	Leases map[string]*coordinationv1.Lease
}

// Observe reads the operators' Deployments and Leases. Objects that the caller may not read are left out.
func Observe(ctx context.Context, kubernetes kubernetes.Interface) (Observation, error) {
	f := Observation{Leases: map[string]*coordinationv1.Lease{}}
	list, err := kubernetes.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, apis.OperatorName).String(),
	})
	switch {
	case err == nil:
		f.Known, f.AllNamespaces, f.Deployments = true, true, list.Items
	case apierrors.IsForbidden(err):
		one, err := kubernetes.AppsV1().Deployments(apis.OperatorNamespace).Get(ctx, apis.OperatorName, metav1.GetOptions{})
		switch {
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			return f, nil
		case err != nil:
			return f, fmt.Errorf("read the operator's Deployment: %w", err)
		}
		f.Known, f.Deployments = true, []appsv1.Deployment{*one}
	default:
		return f, fmt.Errorf("list the operators' Deployments: %w", err)
	}
	namespaces := []string{apis.OperatorNamespace}
	for i := range f.Deployments {
		namespaces = append(namespaces, LeaseNamespace(&f.Deployments[i]))
	}
	slices.Sort(namespaces)
	for _, namespace := range slices.Compact(namespaces) {
		lease, err := kubernetes.CoordinationV1().Leases(namespace).Get(ctx, apis.LeaseName, metav1.GetOptions{})
		switch {
		case err == nil:
			f.Leases[namespace] = lease
		case apierrors.IsNotFound(err):
			f.Leases[namespace] = nil
		case !apierrors.IsForbidden(err):
			return f, fmt.Errorf("read the leader's Lease: %w", err)
		}
	}
	return f, nil
}

// Arguments returns the arguments of the operator's container.
func Arguments(d *appsv1.Deployment) []string {
	for i := range d.Spec.Template.Spec.Containers {
		if container := &d.Spec.Template.Spec.Containers[i]; container.Name == apis.OperatorName {
			return container.Args
		}
	}
	return nil
}

// LeaseNamespace returns the namespace of an operator's Lease.
func LeaseNamespace(d *appsv1.Deployment) string {
	if namespace, _ := arguments.Value(Arguments(d), arguments.LeaderElectionNamespace); namespace != "" {
		return namespace
	}
	return d.Namespace
}

// UsesLeaderElection reports whether the replicas of an operator elect a leader.
func UsesLeaderElection(d *appsv1.Deployment) bool {
	elect, given := arguments.Value(Arguments(d), arguments.LeaderElect)
	return given && elect != "false"
}

// clockSkewAllowance is how much later than promised a renewal may appear, because clocks differ.
const clockSkewAllowance = 15 * time.Second

// Leader returns the holder of a Lease, or why there is none. lease may be nil.
func Leader(lease *coordinationv1.Lease, now time.Time) (name, vacant string) {
	if lease == nil {
		return "", "no operator has ever led: there is no Lease " + apis.LeaseName
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return "", fmt.Sprintf("no operator leads: nobody holds the Lease %s/%s", lease.Namespace, lease.Name)
	}
	name, _, _ = strings.Cut(*lease.Spec.HolderIdentity, "_")
	if renewed, seconds := lease.Spec.RenewTime, lease.Spec.LeaseDurationSeconds; renewed != nil && seconds != nil {
		if late := now.Sub(renewed.Time) - time.Duration(*seconds)*time.Second; late > clockSkewAllowance {
			return "", fmt.Sprintf(
				"no operator leads: %s held the Lease until %s ago, by this machine's clock", name, late.Truncate(time.Second),
			)
		}
	}
	return name, ""
}
