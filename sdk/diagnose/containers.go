// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// containerLayer is the third layer: what each container of the Pod does.
func containerLayer(f *Snapshot) []Finding {
	if f.Pod == nil {
		return []Finding{noPodFinding(f)}
	}
	end := ending.Of(f.Pod)
	if end.Cause == ending.None || end.Finished() {
		return containerFindings(f)
	}
	// Whoever took the Pod away ended its containers too: how they took it is no problem.
	var all []Finding
	if end.NeedsDeletion() {
		text := fmt.Sprintf("was taken away (%s): the operator makes it anew, with its volumes", oneLine(end.Message))
		all = append(all, Finding{State: Wait, Subject: "Pod " + f.Pod.Name, Text: text})
	}
	for _, finding := range containerFindings(f) {
		all = append(all, Finding{State: Note, Subject: finding.Subject, Text: finding.Text, detail: finding.detail})
	}
	return all
}

func containerFindings(f *Snapshot) []Finding {
	from := f.template()
	var all []Finding
	for i := range f.Pod.Status.InitContainerStatuses {
		status := &f.Pod.Status.InitContainerStatuses[i]
		if ended := status.State.Terminated; ended != nil && ended.ExitCode == 0 {
			continue // it has done its work
		}
		all = append(all, containerFinding("init container "+status.Name, status, from, f.Now))
	}
	for i := range f.Pod.Status.ContainerStatuses {
		status := &f.Pod.Status.ContainerStatuses[i]
		all = append(all, containerFinding("container "+status.Name, status, from, f.Now))
	}
	if len(all) == 0 && f.Pod.Status.Phase == corev1.PodFailed {
		all = append(all, Finding{State: Bad, Subject: "Pod " + f.Pod.Name, Text: "failed: " + firstOf(f.Pod.Status.Message, f.Pod.Status.Reason)})
	}
	if len(all) == 0 && len(f.Pod.Spec.SchedulingGates) == 0 {
		all = append(all, Finding{State: Wait, Subject: "Pod " + f.Pod.Name, Text: "no container has started"})
	}
	return all
}

// containerFinding says how a container is. Template is the name of what it was made from, if there is one.
func containerFinding(subject string, status *corev1.ContainerStatus, template string, now time.Time) Finding {
	finding := Finding{Subject: subject}
	switch {
	case status.State.Waiting != nil:
		return waitingFinding(subject, status, template)
	case status.State.Terminated != nil:
		return terminatedFinding(subject, status)
	case restarted(status, now) && status.RestartCount > 1:
		finding.State, finding.problem, finding.Lasting = Bad, endedContainer, status.RestartCount >= lastingRestarts
		finding.Text = fmt.Sprintf("crashes again and again (%s%s), and was started again just now", restarts(status), lastTermination(status))
	case restarted(status, now):
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

// waitingFinding spells why a container does not start. Words that flap between attempts (ErrImagePull, ImagePullBackOff) give
// one text.
func waitingFinding(subject string, status *corev1.ContainerStatus, template string) Finding {
	reason, message := status.State.Waiting.Reason, oneLine(status.State.Waiting.Message)
	finding := Finding{State: Bad, Subject: subject}
	of := ""
	if template != "" {
		of = " of template " + template
	}
	switch podreason.ForWaitingReason(reason) {
	case podreason.ImagePull:
		finding.problem = badImage
		if podreason.IsInvalidImageName(reason) {
			finding.Text, finding.Lasting = fmt.Sprintf("%q%s is not the name of an image", status.Image, of), true
			break
		}
		finding.detail = podreason.PullError(message)
		finding.Text = withMessage(fmt.Sprintf("image %s%s cannot be pulled", status.Image, of), finding.detail)
		finding.Lasting = podreason.IsErrImageNeverPull(reason) || holds(message, wrongImage)
	case podreason.ContainerConfig:
		finding.problem, finding.Text, finding.detail = unstartable, withMessage("cannot be started", message), message
		finding.Lasting = holds(message, wrongConfiguration)
	case podreason.CrashLoop:
		finding.problem, finding.Lasting = endedContainer, status.RestartCount >= lastingRestarts
		if last := status.LastTerminationState.Terminated; last != nil && last.Reason == startError {
			finding.problem, finding.Lasting = unstartable, holds(last.Message, wrongConfiguration)
		}
		finding.Text = fmt.Sprintf("crashes again and again (%s%s)", restarts(status), lastTermination(status))
	default:
		finding.State, finding.Text = Wait, progressText(reason, message)
	}
	return finding
}

// progressText is a wait that ends by itself.
func progressText(reason, message string) string {
	switch reason {
	case "", "ContainerCreating":
		return "is being created"
	case "PodInitializing":
		return "waits for the init containers"
	}
	return withMessage(reason, message)
}

// startError is the runtime's reason for a container whose process did not start.
const startError = "StartError"

// lastingRestarts are so many that nobody hopes for the next one.
const lastingRestarts = 3

// wrongImage are the words of runtimes and registries for what no further attempt mends; those for a network that fails are
// not among them. wrongConfiguration are those of kubelets and runtimes about a container that cannot be made as it is.
var (
	wrongImage = []string{"not found", "manifest unknown", "name unknown", "does not exist", "access denied", "unauthorized",
		"authentication required", "authorization failed", "insufficient_scope", "403 forbidden", "invalid reference format", "no match for platform"}
	wrongConfiguration = []string{"not found", "no such file or directory", "permission denied", "couldn't find key", "invalid",
		"not a directory", "is a directory", "must not be", "runasnonroot", "will run as root"}
)

func holds(message string, words []string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, word) })
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
		finding.problem, finding.Text, finding.Lasting = unstartable, withMessage("cannot be started", oneLine(state.Message)), holds(state.Message, wrongConfiguration)
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
		return ", last time it could not be started: " + oneLine(last.Message)
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
