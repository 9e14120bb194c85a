// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package podreason_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestAMessageTellsWhatTheOperatorPassesOn(t *testing.T) {
	const pending, running = "Pod exists with phase: Pending", "Pod is Running but not Ready"
	tests := map[string]struct {
		message, why string
		cause        podreason.Cause
	}{
		"nothing is passed on":   {message: pending},
		"nor of another message": {message: "no template python: none"},
		"no node": {
			pending + ": Unschedulable: 0/1 nodes: no room", "Unschedulable: 0/1 nodes: no room", podreason.Unschedulable,
		},
		"no image": {
			pending + `: container c: ImagePullBackOff: cannot pull image "a:b"`,
			`container c: ImagePullBackOff: cannot pull image "a:b"`, podreason.ImagePull,
		},
		"it crashes": {
			running + ": container c: CrashLoopBackOff: exited with code 1 (Error)",
			"container c: CrashLoopBackOff: exited with code 1 (Error)", podreason.CrashLoop,
		},
		"no word from the kubelet": {
			pending + ": container c: CrashLoopBackOff", "container c: CrashLoopBackOff", podreason.CrashLoop,
		},
		"the second one": {
			running + ": container a: PodInitializing2; container b: CreateContainerError: x",
			"container a: PodInitializing2; container b: CreateContainerError: x", podreason.ContainerConfig,
		},
		"the node is lost": {
			running + ": NodeNotReady: node n has stopped reporting", "NodeNotReady: node n has stopped reporting",
			podreason.NodeNotReady,
		},
		"the scheduler waits": {pending + ": SchedulingGated: held back", "SchedulingGated: held back", podreason.None},
		"somebody takes the Pod": {
			"Pod is being deleted: EvictionByEvictionAPI: evicting: waiting until Pod a is gone",
			"EvictionByEvictionAPI: evicting: waiting until Pod a is gone", podreason.None,
		},
		"another Pod is waited for": {
			pending + ": waiting until Pod a is gone", "waiting until Pod a is gone", podreason.None,
		},
	}
	for name, tt := range tests {
		if why, cause := podreason.FromConditionMessage(tt.message); why != tt.why || cause != tt.cause {
			t.Errorf("%s: got %q, %q", name, why, cause)
		}
	}
}

// waits are the reasons of waiting containers that the kubelet has, with their cause.
var waits = map[string]podreason.Cause{
	"ContainerCreating":          podreason.None,
	"PodInitializing":            podreason.None,
	"":                           podreason.None,
	"ErrImagePull":               podreason.ImagePull,
	"ImagePullBackOff":           podreason.ImagePull,
	"ErrImageNeverPull":          podreason.ImagePull,
	"InvalidImageName":           podreason.ImagePull,
	"RegistryUnavailable":        podreason.ImagePull,
	"ImageInspectError":          podreason.ImagePull,
	"SignatureValidationFailed":  podreason.ImagePull,
	"CreateContainerConfigError": podreason.ContainerConfig,
	"CreateContainerError":       podreason.ContainerConfig,
	"RunContainerError":          podreason.ContainerConfig,
	"CrashLoopBackOff":           podreason.CrashLoop,
}

func TestThePodAndTheMessageAboutItTellTheSameCause(t *testing.T) {
	for reason, want := range waits {
		for _, message := range []string{
			"", "Back-off pulling image \"a\": ErrImagePull: not found", "secret \"x\" not found",
		} {
			pod := builders.Pod("dev", builders.OnNode("n"), builders.Waiting(reason, message))
			text := podreason.Message(pod)
			if got := podreason.ForPod(pod); got != want {
				t.Errorf("%s: the Pod tells %q", reason, got)
			}
			if _, got := podreason.FromConditionMessage("Pod exists with phase: Pending: " + text); text != "" && got != want {
				t.Errorf("%s: the message %q tells %q", reason, text, got)
			}
			if (text == "") != (want == podreason.None) {
				t.Errorf("%s: text %q", reason, text)
			}
		}
	}
	if pod := builders.Pod("dev", builders.Unschedulable("0/3 nodes")); podreason.ForPod(pod) != podreason.Unschedulable ||
		podreason.Message(pod) != "Unschedulable: 0/3 nodes" {
		t.Errorf("%q, %q", podreason.ForPod(pod), podreason.Message(pod))
	}
	gated := builders.Pod("dev", builders.PodWith(func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "SchedulingGated"},
		}
	}))
	if podreason.ForPod(gated) != podreason.None || podreason.Message(gated) != "SchedulingGated" {
		t.Errorf("%q, %q", podreason.ForPod(gated), podreason.Message(gated))
	}
}

func TestANodeThatStopsReportingIsTheCauseUnlessTheContainersAre(t *testing.T) {
	pod := func(ready, containers corev1.ConditionStatus, gates ...string) *corev1.Pod {
		return builders.Pod("dev", builders.Ready(), builders.OnNode("n"), builders.PodWith(func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{
				{Type: corev1.PodReady, Status: ready}, {Type: corev1.ContainersReady, Status: containers},
			}
			for _, gate := range gates {
				p.Spec.ReadinessGates = append(p.Spec.ReadinessGates, corev1.PodReadinessGate{
					ConditionType: corev1.PodConditionType(gate),
				})
			}
		}))
	}
	for name, tt := range map[string]struct {
		pod  *corev1.Pod
		want podreason.Cause
	}{
		"the node has stopped reporting":    {pod(corev1.ConditionFalse, corev1.ConditionTrue), podreason.NodeNotReady},
		"a probe fails":                     {pod(corev1.ConditionFalse, corev1.ConditionFalse), podreason.None},
		"the Pod is ready":                  {pod(corev1.ConditionTrue, corev1.ConditionTrue), podreason.None},
		"a readiness gate may have said so": {pod(corev1.ConditionFalse, corev1.ConditionTrue, "gate"), podreason.None},
	} {
		message := podreason.Message(tt.pod)
		_, told := podreason.FromConditionMessage("Pod is Running but not Ready: " + message)
		got := podreason.ForPod(tt.pod)
		if got != tt.want || told != tt.want || (message == "") != (tt.want == podreason.None) {
			t.Errorf("%s: got %q, and %q of %q", name, got, told, message)
		}
	}
}

func TestWordsThatFlapGiveOneText(t *testing.T) {
	text := func(reason, message string) string {
		return podreason.Message(builders.Pod("dev", builders.Waiting(reason, message)))
	}
	cause := "failed to resolve: not found"
	if a, b := text("ErrImagePull", cause), text(
		"ImagePullBackOff", `Back-off pulling image "x": ErrImagePull: `+cause,
	); a != b {
		t.Errorf("%q, %q", a, b)
	}
	between := builders.Pod("dev", builders.CrashLoop(3, 2), builders.PodWith(func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = p.Status.ContainerStatuses[0].LastTerminationState
	}))
	if a, b := podreason.Message(builders.Pod("dev", builders.CrashLoop(3, 2))), podreason.Message(between); a != b ||
		podreason.ForPod(between) != podreason.CrashLoop {
		t.Errorf("%q, %q, %q", a, b, podreason.ForPod(between))
	}
}

func TestARuntimesErrorIsShortenedToThePartThatMatters(t *testing.T) {
	const image = "docker.io/library/no-such-image:v1"
	for whole, want := range map[string]string{
		"":                      "",
		"not found":             "not found",
		`secret "x" not found`:  `secret "x" not found`,
		"something: never: met": "something: never: met",
		`rpc error: code = NotFound desc = failed to pull and unpack image "` + image + `": failed to resolve reference "` +
			image + `": ` + image + `: not found`: "not found",
		`failed to pull and unpack image "` + image + `": failed to resolve image: pull access denied, repository does not ` +
			`exist or may require authorization: authorization failed: no basic auth credentials`: "pull access denied, " +
			"repository does not exist or may require authorization: authorization failed: no basic auth credentials",
		`rpc error: code = Unknown desc = failed to pull and unpack image "localhost/x:v1": failed to resolve reference ` +
			`"localhost/x:v1": failed to do request: Head "https://localhost/v2/x/manifests/v1": dial tcp [::1]:443: ` +
			`connect: connection refused`: "dial tcp [::1]:443: connect: connection refused",
		`failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ` +
			`unable to start container process: error during container init: exec: "nope": executable file not found in ` +
			`$PATH: unknown`: `exec: "nope": executable file not found in $PATH`,
		`rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "runsc" is configured`: `no ` +
			`runtime for "runsc" is configured`,
		`writing blob: "a: b": it is "full: really"`: `"a: b": it is "full: really"`,
		"failed to do this":                          "failed to do this",
	} {
		if got := podreason.ShortRuntimeError(whole); got != want {
			t.Errorf("%q gives %q", whole, got)
		}
	}
	if got := podreason.ShortRuntimeError(strings.Repeat("é", 500)); got != strings.Repeat("é", 200)+"..." {
		t.Errorf("a text without an end gives %q", got)
	}
}

func TestAConditionsMessageIsShortenedWhereTheRuntimeSpeaks(t *testing.T) {
	const runtimeError = `rpc error: code = NotFound desc = failed to pull and unpack image "r/a:b": r/a:b: not found`
	for whole, want := range map[string]string{
		"Pod is Ready": "Pod is Ready",
		"Pod exists with phase: Pending: Unschedulable: 0/1 nodes are available: failed to fit: no": "Pod exists with " +
			"phase: Pending: Unschedulable: 0/1 nodes are available: failed to fit: no",
		`Pod exists with phase: Pending: container a: ImagePullBackOff: cannot pull image "r/a:b": ` + runtimeError +
			`; container b: CreateContainerError: failed to x; y: failed to z: no space; container c: CrashLoopBackOff`: `` +
			`Pod exists with phase: Pending: container a: ImagePullBackOff: cannot pull image "r/a:b": not found; container ` +
			`b: CreateContainerError: no space; container c: CrashLoopBackOff`,
		`Pod exists with phase: Pending: container a: ImagePullBackOff: cannot pull image "r/a:b"`: `Pod exists with ` +
			`phase: Pending: container a: ImagePullBackOff: cannot pull image "r/a:b"`,
		"Pod is Running but not Ready: container a: CrashLoopBackOff: exited with code 1 (Error)": "Pod is Running but not " +
			"Ready: container a: CrashLoopBackOff: exited with code 1 (Error)",
	} {
		if got := podreason.ShortConditionMessage(whole); got != want {
			t.Errorf("%q gives\n%q", whole, got)
		}
		if _, before := podreason.FromConditionMessage(whole); before != podreason.None {
			if _, after := podreason.FromConditionMessage(podreason.ShortConditionMessage(whole)); after != before {
				t.Errorf("the cause of %q became %q", before, after)
			}
		}
	}
}
