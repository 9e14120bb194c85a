// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// containers is the third layer: what each container of the Pod does.
func containers(f *Facts) []Finding {
	if f.Pod == nil {
		return []Finding{noPod(f)}
	}
	var all []Finding
	for i := range f.Pod.Status.InitContainerStatuses {
		status := &f.Pod.Status.InitContainerStatuses[i]
		if ended := status.State.Terminated; ended != nil && ended.ExitCode == 0 {
			continue // it has done its work
		}
		all = append(all, ofContainer("init container "+status.Name, status))
	}
	for i := range f.Pod.Status.ContainerStatuses {
		status := &f.Pod.Status.ContainerStatuses[i]
		all = append(all, ofContainer("container "+status.Name, status))
	}
	if len(all) == 0 && f.Pod.Status.Phase == corev1.PodFailed {
		all = append(all, Finding{State: Bad, Subject: "Pod " + f.Pod.Name, Text: "failed: " + firstOf(f.Pod.Status.Message, f.Pod.Status.Reason)})
	}
	if len(all) == 0 && len(f.Pod.Spec.SchedulingGates) == 0 {
		all = append(all, Finding{State: Wait, Subject: "Pod " + f.Pod.Name, Text: "no container has started"})
	}
	return all
}

func ofContainer(subject string, status *corev1.ContainerStatus) Finding {
	finding := Finding{Subject: subject}
	switch {
	case status.State.Waiting != nil:
		return waiting(subject, status)
	case status.State.Terminated != nil:
		return ended(subject, status.State.Terminated)
	case status.State.Running != nil && status.Ready:
		finding.State, finding.Text = Good, "runs and is ready"
		if status.RestartCount > 0 {
			finding.Text += fmt.Sprintf(" (restarted %d times%s)", status.RestartCount, lastEnd(status))
		}
	case status.State.Running != nil:
		finding.State, finding.Text = Wait, "runs but is not ready: its readiness probe has not passed"
	default:
		finding.State, finding.Text = Wait, "has not started"
	}
	return finding
}

// waiting spells why a container does not start. Words that flap between attempts (ErrImagePull, ImagePullBackOff) give
// one text.
func waiting(subject string, status *corev1.ContainerStatus) Finding {
	reason, message := status.State.Waiting.Reason, oneLine(status.State.Waiting.Message)
	finding := Finding{State: Bad, Subject: subject}
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "RegistryUnavailable":
		finding.problem, finding.Text = badImage, withMessage(fmt.Sprintf("image %s cannot be pulled", status.Image), pullError(message))
	case "InvalidImageName":
		finding.problem, finding.Text = badImage, fmt.Sprintf("%q is not the name of an image", status.Image)
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		finding.problem, finding.Text = unstartable, withMessage("cannot be started", message)
	case "CrashLoopBackOff":
		finding.problem = endedContainer
		finding.Text = fmt.Sprintf("crashes again and again (%d restarts%s)", status.RestartCount, lastEnd(status))
	case "", "ContainerCreating":
		finding.State, finding.Text = Wait, "is being created"
	case "PodInitializing":
		finding.State, finding.Text = Wait, "waits for the init containers"
	default:
		finding.State, finding.Text = Wait, withMessage(reason, message)
	}
	return finding
}

// pullError is the runtime's error without what the kubelet puts before it while it waits for the next attempt.
func pullError(message string) string {
	for _, marker := range []string{": ErrImagePull: ", ": RegistryUnavailable: "} {
		if _, cause, found := strings.Cut(message, marker); found {
			return cause
		}
	}
	return message
}

func ended(subject string, state *corev1.ContainerStateTerminated) Finding {
	finding := Finding{State: Bad, Subject: subject, problem: endedContainer}
	switch {
	case state.Reason == "OOMKilled":
		finding.Text = "was killed because it used more memory than its limit (OOMKilled)"
	case state.ExitCode == 0:
		finding.State, finding.Text = Note, "ended with exit code 0"
	default:
		finding.Text = withMessage(fmt.Sprintf("ended with exit code %d", state.ExitCode), oneLine(state.Message))
	}
	return finding
}

func lastEnd(status *corev1.ContainerStatus) string {
	last := status.LastTerminationState.Terminated
	switch {
	case last == nil:
		return ""
	case last.Reason == "OOMKilled":
		return ", last time for using more memory than its limit"
	}
	return fmt.Sprintf(", last exit code %d", last.ExitCode)
}

func withMessage(text, message string) string {
	if message == "" {
		return text
	}
	return text + ": " + message
}
