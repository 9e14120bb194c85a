// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package obstacle_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/obstacle"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestAMessageTellsWhatTheOperatorPassesOn(t *testing.T) {
	const pending, running = "Pod exists with phase: Pending", "Pod is Running but not Ready"
	tests := map[string]struct {
		message, why string
		cause        obstacle.Cause
	}{
		"nothing is passed on":      {message: pending},
		"nor of another message":    {message: "no template python: none"},
		"no node":                   {pending + ": Unschedulable: 0/1 nodes: no room", "Unschedulable: 0/1 nodes: no room", obstacle.NoNode},
		"no image":                  {pending + `: container c: ImagePullBackOff: cannot pull image "a:b"`, `container c: ImagePullBackOff: cannot pull image "a:b"`, obstacle.ImagePull},
		"it crashes":                {running + ": container c: CrashLoopBackOff: exited with code 1 (Error)", "container c: CrashLoopBackOff: exited with code 1 (Error)", obstacle.CrashLoop},
		"no word from the kubelet":  {pending + ": container c: CrashLoopBackOff", "container c: CrashLoopBackOff", obstacle.CrashLoop},
		"the second one":            {running + ": container a: PodInitializing2; container b: CreateContainerError: x", "container a: PodInitializing2; container b: CreateContainerError: x", obstacle.ContainerConfig},
		"the scheduler waits":       {pending + ": SchedulingGated: held back", "SchedulingGated: held back", obstacle.None},
		"somebody takes the Pod":    {"Pod is being deleted: EvictionByEvictionAPI: evicting: waiting until Pod a is gone", "EvictionByEvictionAPI: evicting: waiting until Pod a is gone", obstacle.None},
		"another Pod is waited for": {pending + ": waiting until Pod a is gone", "waiting until Pod a is gone", obstacle.None},
	}
	for name, tt := range tests {
		if why, cause := obstacle.InMessage(tt.message); why != tt.why || cause != tt.cause {
			t.Errorf("%s: got %q, %q", name, why, cause)
		}
	}
}

// waits are the reasons of waiting containers that the kubelet has, with their cause.
var waits = map[string]obstacle.Cause{
	"ContainerCreating": obstacle.None, "PodInitializing": obstacle.None, "": obstacle.None,
	"ErrImagePull": obstacle.ImagePull, "ImagePullBackOff": obstacle.ImagePull, "ErrImageNeverPull": obstacle.ImagePull, "InvalidImageName": obstacle.ImagePull,
	"RegistryUnavailable": obstacle.ImagePull, "ImageInspectError": obstacle.ImagePull, "SignatureValidationFailed": obstacle.ImagePull,
	"CreateContainerConfigError": obstacle.ContainerConfig, "CreateContainerError": obstacle.ContainerConfig, "RunContainerError": obstacle.ContainerConfig,
	"CrashLoopBackOff": obstacle.CrashLoop,
}

func TestThePodAndTheMessageAboutItTellTheSameCause(t *testing.T) {
	for reason, want := range waits {
		for _, message := range []string{"", "Back-off pulling image \"a\": ErrImagePull: not found", "secret \"x\" not found"} {
			pod := builders.Pod("dev", builders.OnNode("n"), builders.Waiting(reason, message))
			text := obstacle.Text(pod)
			if got := obstacle.Of(pod); got != want {
				t.Errorf("%s: the Pod tells %q", reason, got)
			}
			if _, got := obstacle.InMessage("Pod exists with phase: Pending: " + text); text != "" && got != want {
				t.Errorf("%s: the message %q tells %q", reason, text, got)
			}
			if (text == "") != (want == obstacle.None) {
				t.Errorf("%s: text %q", reason, text)
			}
		}
	}
	if pod := builders.Pod("dev", builders.Unschedulable("0/3 nodes")); obstacle.Of(pod) != obstacle.NoNode || obstacle.Text(pod) != "Unschedulable: 0/3 nodes" {
		t.Errorf("%q, %q", obstacle.Of(pod), obstacle.Text(pod))
	}
	gated := builders.Pod("dev", builders.PodWith(func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "SchedulingGated"}}
	}))
	if obstacle.Of(gated) != obstacle.None || obstacle.Text(gated) != "SchedulingGated" {
		t.Errorf("%q, %q", obstacle.Of(gated), obstacle.Text(gated))
	}
}

func TestWordsThatFlapGiveOneText(t *testing.T) {
	text := func(reason, message string) string {
		return obstacle.Text(builders.Pod("dev", builders.Waiting(reason, message)))
	}
	cause := "failed to resolve: not found"
	if a, b := text("ErrImagePull", cause), text("ImagePullBackOff", `Back-off pulling image "x": ErrImagePull: `+cause); a != b {
		t.Errorf("%q, %q", a, b)
	}
	between := builders.Pod("dev", builders.CrashLoop(3, 2), builders.PodWith(func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = p.Status.ContainerStatuses[0].LastTerminationState
	}))
	if a, b := obstacle.Text(builders.Pod("dev", builders.CrashLoop(3, 2))), obstacle.Text(between); a != b || obstacle.Of(between) != obstacle.CrashLoop {
		t.Errorf("%q, %q, %q", a, b, obstacle.Of(between))
	}
}
