// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operator tells whether an operator looks after a namespace, for those who wait for what it does.
//
// Invariants:
//   - nothing is claimed that was not seen: who may not look learns nothing, and hears nothing;
//   - a Lease that is being renewed means that somebody leads, whatever the Deployments are like: it may be another implementation;
//   - clocks differ: an old Lease alone counts only when it stays as it is.
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

// Observation are what can be seen of operators.
type Observation struct {
	// Deployments are those of operators. Known is false if nobody could look, and Everywhere if only in the default namespace.
	Deployments          []appsv1.Deployment
	Known, AllNamespaces bool
	// Leases are the leaders' by namespace: nil where there is none, absent where nobody could look.
	Leases map[string]*coordinationv1.Lease
}

// Observe reads what the caller may read: the operators' Deployments and Leases. That something may not be read is no error.
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

// Arguments are those of the operator's container.
func Arguments(d *appsv1.Deployment) []string {
	for i := range d.Spec.Template.Spec.Containers {
		if container := &d.Spec.Template.Spec.Containers[i]; container.Name == apis.OperatorName {
			return container.Args
		}
	}
	return nil
}

// LeaseNamespace is where the leader's Lease of an operator is.
func LeaseNamespace(d *appsv1.Deployment) string {
	if namespace, _ := arguments.Value(Arguments(d), arguments.LeaderElectionNamespace); namespace != "" {
		return namespace
	}
	return d.Namespace
}

// UsesLeaderElection says whether the replicas of an operator elect one that leads.
func UsesLeaderElection(d *appsv1.Deployment) bool {
	elect, given := arguments.Value(Arguments(d), arguments.LeaderElect)
	return given && elect != "false"
}

// clockSkewAllowance is how much later than promised a leader's renewal may be seen: clocks differ.
const clockSkewAllowance = 15 * time.Second

// Leader is who leads by a Lease, or why nobody does. There may be no Lease.
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
			return "", fmt.Sprintf("no operator leads: %s held the Lease until %s ago, by this machine's clock", name, late.Truncate(time.Second))
		}
	}
	return name, ""
}
