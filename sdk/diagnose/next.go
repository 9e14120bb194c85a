// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// nextSteps returns what to do about the verdict, the most helpful step first.
func nextSteps(snapshot *Snapshot, d *Diagnosis, obstacleProblem problem) []Step {
	name := d.Name
	switch d.Verdict {
	case Ready:
		return []Step{{Text: "work in it", Command: "shell " + name}}
	case Suspended, Suspending:
		resume := Step{Text: suspendedBy(snapshot), Command: "resume " + name}
		if needsOperator(d.Verdict) {
			return append(operatorSteps(snapshot, obstacleProblem), resume)
		}
		return []Step{resume}
	case Succeeded, Failed:
		return []Step{
			{Text: "read what it wrote", Command: "logs " + name}, {Text: "remove it", Command: "delete " + name + " --yes"},
		}
	case Expired:
		return stepsAfterExpiry(snapshot, name)
	case Deleting:
		return []Step{{Text: "wait until it is gone", Command: "wait " + name + " --for deleted"}}
	case Blocked:
		return remedies(snapshot, d.Name, obstacleProblem)
	default:
	}
	if obstacleProblem == heldBack {
		return []Step{{Text: "whoever set the gates decides; with Kueue its queue does: kubectl get workloads"}}
	}
	return []Step{{Text: "wait for it", Command: "wait " + name + " --for ready"}}
}

func suspendedBy(snapshot *Snapshot) string {
	if snapshot.Sandbox == nil {
		return "start it again"
	}
	_, by := snapshot.Sandbox.Spec.SuspensionRequested()
	return "start it again (suspended by spec." + strings.Join(by, " and spec.") + ")"
}

// stepsAfterExpiry returns what to do about an expired sandbox. One that reached its shutdown time can be extended; one
// that finished its work cannot.
func stepsAfterExpiry(snapshot *Snapshot, name string) []Step {
	if snapshot.Claim != nil && snapshot.Deadline().Cause() == lifecycle.CauseFinished {
		return []Step{{Text: "its work is done and its Sandbox is gone: remove it", Command: "delete " + name + " --yes"}}
	}
	remove := Step{Text: "or remove it", Command: "delete " + name + " --yes"}
	switch {
	case snapshot.Claim == nil || snapshot.Sandbox != nil:
	case len(snapshot.Volumes) > 0:
		return []Step{
			{
				Text:    "give it more time: it gets a new Sandbox with the volumes that were kept",
				Command: "extend " + name + " --by 1h",
			},
			remove,
		}
	default:
		return []Step{
			{
				Text:    "its Sandbox is gone with what it held: start it again with an empty one",
				Command: "extend " + name + " --by 1h --fresh",
			},
			remove,
		}
	}
	return []Step{{Text: "give it more time, which starts it again", Command: "extend " + name + " --by 1h"}, remove}
}

// remedies returns what to do about the problem.
func remedies(snapshot *Snapshot, name string, obstacleProblem problem) []Step {
	if steps := operatorSteps(snapshot, obstacleProblem); steps != nil {
		return steps
	}
	recreate := Step{Text: "then delete and recreate it", Command: "delete " + name + " --yes"}
	if steps := claimRemedies(snapshot, recreate, obstacleProblem); steps != nil {
		return steps
	}
	if steps := templateRemedies(snapshot, recreate, obstacleProblem); steps != nil {
		return steps
	}
	switch obstacleProblem {
	case badImage:
		return []Step{{Text: "check the image's name and tag, and whether the node may pull it (imagePullSecrets)"}, recreate}
	case endedContainer:
		return []Step{{Text: "read what it wrote before it ended", Command: "logs " + name + previousLogsFlag(snapshot)}}
	case unstartable:
		return []Step{{Text: "check the Secrets, ConfigMaps and the command that its podTemplate names"}, recreate}
	case unschedulable:
		return []Step{
			{Text: "ask for less, or add a node that fits"}, recreate, {Text: "see what is free on the nodes", Command: "nodes"},
		}
	case unboundVolume:
		return []Step{{Text: "check for a default StorageClass with a working provisioner: kubectl get storageclass"}}
	case lostNode:
		node := snapshot.node()
		return []Step{
			{Text: "see what is wrong with node " + node + ": kubectl describe node " + node},
			{
				Text: "bring it back, and the sandbox goes on; or, if it is off for good, remove it, and the Pod " +
					"starts on another: kubectl delete node " + node,
			},
		}
	case fullQuota:
		return []Step{{Text: "raise the quota of the namespace, or delete what is not needed: kubectl describe quota"}}
	case rejectedPod:
		return []Step{{Text: "correct what the message names in its podTemplate"}, recreate}
	default:
	}
	return []Step{{Text: "solve what is said above; the operator then goes on by itself"}}
}

// operatorSteps returns what to do if no operator works for the namespace, and nil for other problems.
func operatorSteps(snapshot *Snapshot, obstacleProblem problem) []Step {
	switch cure := oneLine(snapshot.OperatorProblem.Cure); {
	case obstacleProblem == operatorAbsent:
		return []Step{{Text: "install the operator", Command: "install"}}
	case obstacleProblem != operatorDown:
		return nil
	case cure != "":
		return []Step{{Text: "get the operator to work: " + cure}}
	}
	return []Step{{Text: "find out why no operator works for the namespace", Command: "doctor"}}
}

// previousLogsFlag returns the flag that shows the logs of a container that crashed, or "" if none did.
func previousLogsFlag(snapshot *Snapshot) string {
	if snapshot.Pod == nil {
		return ""
	}
	for i := range snapshot.Pod.Status.ContainerStatuses {
		if status := &snapshot.Pod.Status.ContainerStatuses[i]; status.State.Waiting != nil &&
			podreason.ForContainer(status) == podreason.CrashLoop {
			return " --previous"
		}
	}
	return ""
}
