// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
)

// Trouble is why no operator looks after a namespace.
type Trouble struct {
	// Message is empty if there is none, or nothing is known of any. Short is for where there is little room.
	Message, Short string
	// Absent says that there is no operator at all.
	Absent bool
	// mark tells whether a Lease has changed since; empty: the trouble is sure.
	mark string
}

// Confirmed says whether it counts: that a Lease is old only when it was as old before.
func (t Trouble) Confirmed(before Trouble) bool {
	return t.Message != "" && (t.mark == "" || t.mark == before.mark)
}

// Of finds the trouble that the facts show for a namespace, or for all if it is empty.
func Of(f Facts, namespace string, now time.Time) Trouble {
	if !f.Known || f.led(now) {
		return Trouble{}
	}
	if len(f.Deployments) == 0 {
		if _, looked := f.Leases[apis.OperatorNamespace]; !f.Everywhere || !looked {
			return Trouble{}
		}
		return Trouble{Absent: true, Short: "no operator found", Message: "no operator was found: there is no Deployment " + apis.OperatorName + " in any namespace, and nobody leads"}
	}
	var first Trouble
	elsewhere := []string{}
	for i := range f.Deployments {
		d := &f.Deployments[i]
		if watched := arguments.Values(Arguments(d), arguments.WatchNamespaces); namespace != "" && len(watched) > 0 && !slices.Contains(watched, namespace) {
			elsewhere = append(elsewhere, watched...)
			continue
		}
		t := f.of(d, now)
		if t.Message == "" {
			return Trouble{}
		}
		if first.Message == "" {
			first = t
		}
	}
	if first.Message == "" && f.Everywhere {
		slices.Sort(elsewhere)
		first.Short = "no operator works here"
		first.Message = fmt.Sprintf("the operator works in %s alone", strings.Join(slices.Compact(elsewhere), ", "))
	}
	return first
}

// led says whether somebody leads that no Deployment stands for: another implementation, or an operator outside the cluster.
func (f Facts) led(now time.Time) bool {
	if len(f.Deployments) > 0 {
		return false
	}
	for _, lease := range f.Leases {
		if name, _ := Leader(lease, now); name != "" {
			return true
		}
	}
	return false
}

// of is the trouble of one operator.
func (f Facts) of(d *appsv1.Deployment, now time.Time) Trouble {
	lease, looked := f.Leases[LeaseNamespace(d)]
	var vacant string
	if Elects(d) && looked {
		var leader string
		if leader, vacant = Leader(lease, now); leader != "" {
			return Trouble{}
		}
	}
	where := fmt.Sprintf("Deployment %s/%s", d.Namespace, d.Name)
	switch {
	case d.Spec.Replicas != nil && *d.Spec.Replicas == 0:
		return Trouble{Short: "operator scaled to zero", Message: "the operator is scaled to zero (" + where + ")"}
	case d.Status.AvailableReplicas == 0:
		return Trouble{Short: "operator not available", Message: "no Pod of the operator is available (" + where + ")" + failure(d)}
	case vacant != "":
		return Trouble{Short: "no operator leads", Message: vacant, mark: "lease " + mark(lease)}
	}
	return Trouble{}
}

// failure is why a Deployment has no Pods, if it says so.
func failure(d *appsv1.Deployment) string {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			return ": " + c.Message
		}
	}
	return ""
}

// mark changes whenever a leader renews its Lease.
func mark(lease *coordinationv1.Lease) string {
	if lease == nil {
		return ""
	}
	return lease.ResourceVersion + fmt.Sprint(lease.Spec.RenewTime)
}
