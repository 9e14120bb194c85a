// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// containerLayer is the third layer: the state of each container of the Pod.
func containerLayer(snapshot *Snapshot) []Finding {
	if snapshot.Pod == nil {
		return []Finding{noPodFinding(snapshot)}
	}
	end := ending.Of(snapshot.Pod)
	if end.Cause == ending.None || end.Finished() {
		return containerFindings(snapshot)
	}
	// The Pod was deleted or evicted, which ended its containers too: their exit codes are not a problem.
	var all []Finding
	if end.NeedsDeletion() {
		text := fmt.Sprintf("was removed (%s): the operator recreates it, with its volumes", oneLine(end.Message))
		all = append(all, Finding{State: Wait, Subject: "Pod " + snapshot.Pod.Name, Text: text})
	}
	for _, finding := range containerFindings(snapshot) {
		finding.State, finding.Lasting, finding.problem = Note, false, unclassified
		all = append(all, finding)
	}
	return all
}

func containerFindings(snapshot *Snapshot) []Finding {
	var all []Finding
	for i := range snapshot.Pod.Status.InitContainerStatuses {
		status := &snapshot.Pod.Status.InitContainerStatuses[i]
		if ended := status.State.Terminated; ended != nil && ended.ExitCode == 0 {
			continue // it has done its work
		}
		all = append(all, initContainerFinding(snapshot, status, len(all) == 0))
	}
	for i := range snapshot.Pod.Status.ContainerStatuses {
		status := &snapshot.Pod.Status.ContainerStatuses[i]
		all = append(all, containerFinding(snapshot, "container "+status.Name, status))
	}
	if len(all) == 0 && snapshot.Pod.Status.Phase == corev1.PodFailed {
		all = append(
			all,
			Finding{
				State: Bad, Subject: "Pod " + snapshot.Pod.Name,
				Text: "failed: " + firstOf(snapshot.Pod.Status.Message, snapshot.Pod.Status.Reason),
			},
		)
	}
	if len(all) == 0 && len(snapshot.Pod.Spec.SchedulingGates) == 0 {
		finding := Finding{State: Wait, Subject: "Pod " + snapshot.Pod.Name, Text: "no container has started"}
		if snapshot.Pod.Spec.NodeName == "" {
			finding.State = Note // what keeps it from a node is the cause
		}
		all = append(all, finding)
	}
	return all
}

// initContainerFinding returns the finding about an init container that has not done its work. first says that no such
// container is before it.
func initContainerFinding(snapshot *Snapshot, status *corev1.ContainerStatus, first bool) Finding {
	finding := containerFinding(snapshot, "init container "+status.Name, status)
	switch {
	case status.State.Waiting != nil && status.State.Waiting.Reason == podInitializing && first:
		finding.Text = "is being created"
	case status.State.Running != nil && finding.State == Wait && status.RestartCount == 0 &&
		!isSidecar(snapshot.Pod, status.Name):
		finding.Text = "has not finished yet"
	}
	return finding
}

// isSidecar reports whether an init container runs for as long as the Pod. Only such a one has a readiness probe.
func isSidecar(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool {
		return c.Name == name && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
	})
}

// containerFinding returns the finding about the state of one container.
func containerFinding(snapshot *Snapshot, subject string, status *corev1.ContainerStatus) Finding {
	finding := Finding{Subject: subject}
	switch {
	case status.State.Waiting != nil:
		return waitingFinding(snapshot, subject, status)
	case status.State.Terminated != nil:
		return terminatedFinding(subject, status)
	case restarted(status, snapshot.Now) && status.RestartCount > 1:
		finding.State, finding.problem, finding.Lasting = Bad, endedContainer, status.RestartCount >= lastingAttempts
		finding.Text = fmt.Sprintf(
			"crashes again and again (%s%s), and was started again just now", restarts(status), lastTermination(status),
		)
	case restarted(status, snapshot.Now):
		finding.State, finding.Text = Wait, fmt.Sprintf("was started again just now%s", lastTermination(status))
	case status.State.Running != nil && status.Ready:
		finding.State, finding.Text = Good, "runs and is ready"
		if status.RestartCount > 0 {
			finding.Text += fmt.Sprintf(" (%s%s)", restarts(status), lastTermination(status))
		}
	case status.State.Running != nil:
		finding.State, finding.Text = Wait, "runs but is not ready: its readiness probe has not passed"
	default:
		finding.State, finding.Text = Wait, "has not started"
	}
	return finding
}

// waitingFinding describes why a container does not start. Reasons that alternate between attempts (ErrImagePull,
// ImagePullBackOff) give the same text.
func waitingFinding(snapshot *Snapshot, subject string, status *corev1.ContainerStatus) Finding {
	reason, message := status.State.Waiting.Reason, oneLine(status.State.Waiting.Message)
	finding := Finding{State: Bad, Subject: subject}
	of := ""
	if template := snapshot.template(); template != "" {
		of = " of template " + template
	}
	switch podreason.ForWaitingReason(reason) {
	case podreason.ImagePull:
		finding.problem = badImage
		if podreason.IsInvalidImageName(reason) {
			finding.Text, finding.Lasting = fmt.Sprintf("%q%s is not the name of an image", status.Image, of), true
			break
		}
		finding.quote(fmt.Sprintf("image %s%s cannot be pulled", status.Image, of), podreason.PullError(message))
		finding.Lasting = podreason.IsErrImageNeverPull(reason) ||
			(attempts(snapshot, status.Name) >= lastingAttempts && !podreason.IsRegistryUnavailable(status.State.Waiting))
	case podreason.ContainerConfig:
		finding.problem = unstartable
		finding.quote("cannot be started", message)
		finding.Lasting = attempts(snapshot, status.Name) >= lastingAttempts
	case podreason.CrashLoop:
		finding.problem, finding.Lasting = endedContainer, status.RestartCount >= lastingAttempts
		if last := status.LastTerminationState.Terminated; last != nil && last.Reason == startError {
			finding.problem, finding.Lasting = unstartable, true
		}
		finding.Text = fmt.Sprintf("crashes again and again (%s%s)", restarts(status), lastTermination(status))
	default:
		finding.State, finding.Text = Wait, progressText(reason, message)
	}
	return finding
}

// progressText describes a wait that ends by itself.
func progressText(reason, message string) string {
	switch reason {
	case "", "ContainerCreating":
		return "is being created"
	case podInitializing:
		return "waits for the init containers"
	}
	return withMessage(reason, message)
}

// podInitializing is the kubelet's reason for a container that waits for init containers, and for an init container
// that has not started.
const podInitializing = "PodInitializing"

// startError is the runtime's reason for a container whose process did not start.
const startError = "StartError"

// lastingAttempts is the number of equal failures after which another attempt is not expected to succeed.
const lastingAttempts = 3

// eventContainerFailed is the reason of the kubelet's events about a container whose image it cannot pull or that it
// cannot create.
const eventContainerFailed = "Failed"

// attempts returns how often the kubelet has reported its latest failure to pull the image of a container or to create
// it.
func attempts(snapshot *Snapshot, container string) int32 {
	latest := latestEvent(snapshot, "Pod", snapshot.Pod.Name, func(e *corev1.Event) bool {
		return e.Reason == eventContainerFailed && strings.HasSuffix(e.InvolvedObject.FieldPath, "{"+container+"}")
	})
	return eventCount(latest)
}

func terminatedFinding(subject string, status *corev1.ContainerStatus) Finding {
	state := status.State.Terminated
	finding := Finding{State: Bad, Subject: subject, problem: endedContainer}
	switch {
	case state.Reason == "OOMKilled":
		finding.Text = "was killed because it used more memory than its limit (OOMKilled)"
	case state.ExitCode == 0:
		finding.State, finding.Text = Note, "ended with exit code 0"
	case state.Reason == startError:
		finding.problem, finding.Lasting = unstartable, true
		finding.quote("cannot be started", oneLine(state.Message))
	default:
		finding.Text = withMessage(fmt.Sprintf("ended with exit code %d", state.ExitCode), oneLine(state.Message))
	}
	return finding
}

func lastTermination(status *corev1.ContainerStatus) string {
	last := status.LastTerminationState.Terminated
	switch {
	case last == nil:
		return ""
	case last.Reason == "OOMKilled":
		return ", last time for using more memory than its limit"
	case last.Reason == startError:
		return ", last time it could not be started: " + podreason.ShortRuntimeError(last.Message)
	}
	return fmt.Sprintf(", last exit code %d", last.ExitCode)
}

func restarts(status *corev1.ContainerStatus) string {
	if status.RestartCount == 1 {
		return "1 restart"
	}
	return fmt.Sprintf("%d restarts", status.RestartCount)
}

func withMessage(text, message string) string {
	if message == "" {
		return text
	}
	return text + ": " + message
}
