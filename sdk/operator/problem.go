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

// Problem says why no operator is responsible for a namespace.
type Problem struct {
	// Message is empty if there is no problem, or none is known. Short is for narrow columns.
	Message, Short string
	// Cure is a command or an instruction for people who may change the operator; empty if there is none to name.
	Cure string
	// Absent reports that there is no operator at all.
	Absent bool
	// leaseVersion identifies the state of an old Lease; if it is empty, the problem is certain.
	leaseVersion string
}

// Confirmed reports whether the problem is certain: an old Lease must be unchanged since the check before.
func (t Problem) Confirmed(before Problem) bool {
	return t.Message != "" && (t.leaseVersion == "" || t.leaseVersion == before.leaseVersion)
}

// ProblemFor returns the problem of a namespace, or of all if it is empty.
func ProblemFor(f Observation, namespace string, now time.Time) Problem {
	if !f.Known || f.ledByOther(now) {
		return Problem{}
	}
	if len(f.Deployments) == 0 {
		if _, looked := f.Leases[apis.OperatorNamespace]; !f.AllNamespaces || !looked {
			return Problem{}
		}
		return Problem{
			Absent: true,
			Short:  "no operator found",
			Message: "no operator was found: there is no Deployment " + apis.OperatorName + " in any namespace, " +
				"and nobody leads",
		}
	}
	var first Problem
	elsewhere := []string{}
	for i := range f.Deployments {
		d := &f.Deployments[i]
		if watched := arguments.Values(Arguments(d), arguments.WatchNamespaces); namespace != "" && len(watched) > 0 &&
			!slices.Contains(watched, namespace) {
			elsewhere = append(elsewhere, watched...)
			continue
		}
		t := f.problemOf(d, now)
		if t.Message == "" {
			return Problem{}
		}
		if first.Message == "" {
			first = t
		}
	}
	if first.Message == "" && f.AllNamespaces {
		slices.Sort(elsewhere)
		first.Short = "no operator works here"
		first.Message = fmt.Sprintf("the operator works in %s alone", strings.Join(slices.Compact(elsewhere), ", "))
	}
	return first
}

// ledByOther reports whether there is a leader without a Deployment: another implementation, or an operator outside the
// cluster.
func (f Observation) ledByOther(now time.Time) bool {
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

// problemOf returns the problem of one operator.
func (f Observation) problemOf(d *appsv1.Deployment, now time.Time) Problem {
	lease, looked := f.Leases[LeaseNamespace(d)]
	var vacant string
	if UsesLeaderElection(d) && looked {
		var leader string
		if leader, vacant = Leader(lease, now); leader != "" {
			return Problem{}
		}
	}
	where := fmt.Sprintf("Deployment %s/%s", d.Namespace, d.Name)
	switch {
	case d.Spec.Replicas != nil && *d.Spec.Replicas == 0:
		return Problem{
			Short: "operator scaled to zero", Message: "the operator is scaled to zero (" + where + ")", Cure: CureScaled(d),
		}
	case d.Status.AvailableReplicas == 0:
		return Problem{
			Short:   "operator not available",
			Message: "no Pod of the operator is available (" + where + ")" + replicaFailure(d), Cure: CureUnavailable(d),
		}
	case vacant != "":
		return Problem{
			Short: "no operator leads", Message: vacant, leaseVersion: "lease " + leaseVersionOf(lease), Cure: CureLeaderless(d),
		}
	}
	return Problem{}
}

// CureScaled returns the command that starts an operator that is scaled to zero.
func CureScaled(d *appsv1.Deployment) string {
	return fmt.Sprintf("kubectl scale -n %s deployment/%s --replicas=1", d.Namespace, d.Name)
}

// CureUnavailable returns the commands that say why no Pod of an operator is available.
func CureUnavailable(d *appsv1.Deployment) string {
	return fmt.Sprintf("kubectl describe pods -n %s -l %s=%s; kubectl logs -n %[1]s deployment/%[4]s",
		d.Namespace, apis.LabelApp, apis.OperatorName, d.Name)
}

// CureLeaderless returns the command that says why no replica leads.
func CureLeaderless(d *appsv1.Deployment) string {
	return fmt.Sprintf("kubectl logs -n %s deployment/%s", d.Namespace, d.Name)
}

// replicaFailure returns why a Deployment has no Pods, if its conditions say so.
func replicaFailure(d *appsv1.Deployment) string {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			return ": " + c.Message
		}
	}
	return ""
}

// leaseVersionOf returns a value that changes whenever the leader renews its Lease.
func leaseVersionOf(lease *coordinationv1.Lease) string {
	if lease == nil {
		return ""
	}
	return lease.ResourceVersion + fmt.Sprint(lease.Spec.RenewTime)
}
