// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// next is what to do about the verdict, the most helpful step first.
func next(f *Facts, d *Diagnosis, in problem) []Step {
	name := d.Name
	switch d.Verdict {
	case Ready:
		return []Step{{Text: "work in it", Command: "shell " + name}}
	case Suspended, Suspending:
		return []Step{{Text: suspendedBy(f), Command: "resume " + name}}
	case Succeeded, Failed:
		return []Step{{Text: "read what it wrote", Command: "logs " + name}, {Text: "remove it", Command: "delete " + name}}
	case Expired:
		return []Step{{Text: "give it more time, which starts it again", Command: "extend " + name + " --by 1h"}, {Text: "or remove it", Command: "delete " + name}}
	case Deleting:
		return []Step{{Text: "wait until it is gone", Command: "wait " + name + " --for deleted"}}
	case Blocked:
		return cures(f, d.Name, in)
	default:
	}
	return []Step{{Text: "wait for it", Command: "wait " + name + " --for ready"}}
}

func suspendedBy(f *Facts) string {
	if f.Sandbox == nil {
		return "start it again"
	}
	_, by := f.Sandbox.Spec.SuspensionAsked()
	return "start it again (suspended by spec." + strings.Join(by, " and spec.") + ")"
}

// cures says what to do about the problem in the way.
func cures(f *Facts, name string, in problem) []Step {
	anew := Step{Text: "then remove it and make it anew", Command: "delete " + name}
	switch in {
	case badImage:
		return []Step{{Text: "check the image's name and tag, and whether the node may pull it (imagePullSecrets)"}, anew}
	case endedContainer:
		return []Step{{Text: "read what it wrote before it ended", Command: "logs " + name + previous(f)}}
	case unstartable:
		return []Step{{Text: "check the Secrets, ConfigMaps and the command that its podTemplate names"}, anew}
	case unschedulable:
		return []Step{{Text: "ask for less, or add a node that fits: kubectl describe nodes"}, anew}
	case unboundVolume:
		return []Step{{Text: "check for a default StorageClass with a working provisioner: kubectl get storageclass"}}
	case operatorAbsent:
		return []Step{{Text: "install the operator", Command: "install"}}
	case operatorDown:
		return []Step{{Text: "look at the operator: kubectl -n " + apis.OperatorNamespace + " get deployment,pods"}}
	default:
	}
	return []Step{{Text: "solve what is said above; the operator then goes on by itself"}}
}

func previous(f *Facts) string {
	if f.Pod == nil {
		return ""
	}
	for i := range f.Pod.Status.ContainerStatuses {
		if w := f.Pod.Status.ContainerStatuses[i].State.Waiting; w != nil && w.Reason == "CrashLoopBackOff" {
			return " --previous"
		}
	}
	return ""
}

// EventTime is when an event happened last, whichever of its fields its writer filled.
func EventTime(e *corev1.Event) metav1.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return metav1.NewTime(e.Series.LastObservedTime.Time)
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp
	case !e.EventTime.IsZero():
		return metav1.NewTime(e.EventTime.Time)
	}
	return e.CreationTimestamp
}
