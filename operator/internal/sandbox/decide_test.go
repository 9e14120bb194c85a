// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// planSummary is the part of a plan that the table compares.
type planSummary struct {
	State      desiredState
	DeleteSelf bool
	Pods       []action
	Service    action
	Volumes    []action
	PodName    string
}

func summaryOf(p plan) planSummary {
	d := planSummary{State: p.state, DeleteSelf: p.deleteSelf, Service: p.service.action, PodName: p.podName}
	for _, s := range p.pods {
		d.Pods = append(d.Pods, s.action)
	}
	for _, s := range p.volumes {
		d.Volumes = append(d.Volumes, s.action)
	}
	return d
}

func pods(all ...*corev1.Pod) observed { return observed{pods: all} }

func TestDecide(t *testing.T) {
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		seen    observed
		want    planSummary
	}{
		"a running Sandbox without a Pod gets one under its own name": {
			sandbox: box(), want: planSummary{Pods: []action{create}, PodName: "box"},
		},
		"a Pod that is as it should be is left alone": {
			sandbox: box(), seen: pods(builtPod(box(), ready)), want: planSummary{Pods: []action{leave}, PodName: "box"},
		},
		"an annotation that names another Pod does not make a second one while ours lives": {
			sandbox: box(annotated(apis.AnnotationPodName, "ghost")), seen: pods(builtPod(box())),
			want: planSummary{Pods: []action{leave}, PodName: "box"},
		},
		"a missing annotation is repaired from the Pod that the owner reference names": {
			sandbox: box(),
			seen:    pods(builtPod(box(), named("warm-1"))),
			want:    planSummary{Pods: []action{leave}, PodName: "warm-1"},
		},
		"an annotation that names a Pod which is gone leads to a Pod under the Sandbox's name": {
			sandbox: box(annotated(apis.AnnotationPodName, "ghost")), want: planSummary{Pods: []action{create}, PodName: "box"},
		},
		"our Pod with an edited label is repaired": {
			sandbox: box(), seen: pods(builtPod(box(), unlabelled)), want: planSummary{Pods: []action{patch}, PodName: "box"},
		},
		"while our Pod is going no other is made": {
			sandbox: box(), seen: pods(builtPod(box(), terminating)), want: planSummary{Pods: []action{wait}, PodName: "box"},
		},
		"of one going and one living Pod the living one is ours": {
			sandbox: box(), seen: pods(builtPod(box(), terminating), builtPod(box(), named("other"))),
			want: planSummary{Pods: []action{leave}, PodName: "other"},
		},
		"two living Pods are both left alone": {
			sandbox: box(annotated(apis.AnnotationPodName, "box")), seen: pods(builtPod(box()), builtPod(box(), named("other"))),
			want: planSummary{Pods: []action{leave, leave}, PodName: "box"},
		},
		"two living Pods of a suspended Sandbox are left alone too: a person chooses": {
			sandbox: box(scaledTo(0)), seen: pods(builtPod(box()), builtPod(box(), named("other"))),
			want: planSummary{State: desiredSuspended, Pods: []action{leave, leave}},
		},
		"two living Pods of an expired Sandbox both go": {
			sandbox: box(shutdown(0, agentsv1beta1.ShutdownPolicyRetain)),
			seen:    pods(builtPod(box()), builtPod(box(), named("other"))),
			want:    planSummary{State: desiredExpired, Pods: []action{remove, remove}},
		},
		"a Pod that somebody made under our name is refused": {
			sandbox: box(),
			seen:    observed{unownedPod: builtPod(box(), unowned, unlabelled)},
			want:    planSummary{Pods: []action{refuse}},
		},
		"a Pod that the index finds by the UID of its controller is ours, whatever kind the reference names": {
			sandbox: box(), seen: pods(builtPod(box(), ownedBy("ReplicaSet", "rs", testUID))),
			want: planSummary{Pods: []action{leave}, PodName: "box"},
		},
		"a Pod that a ReplicaSet controls is refused whatever its labels say": {
			sandbox: box(),
			seen:    observed{unownedPod: builtPod(box(), ownedBy("ReplicaSet", "rs", "rs"))},
			want:    planSummary{Pods: []action{refuse}},
		},
		"an orphaned Pod of ours is taken back by its tracking label": {
			sandbox: box(),
			seen:    observed{unownedPod: builtPod(box(), unowned)},
			want:    planSummary{Pods: []action{patch}, PodName: "box"},
		},
		"a tracking label of another Sandbox is no permission": {
			sandbox: box(), seen: observed{unownedPod: builtPod(box(), unowned, func(p *corev1.Pod) {
				p.Labels[apis.LabelSandboxNameHash] = "ffffffff"
			})}, want: planSummary{Pods: []action{refuse}},
		},
		"a Pod that is offered by label is taken": {
			sandbox: box(), seen: observed{unownedPod: builtPod(box(), unowned, func(p *corev1.Pod) {
				p.Labels = map[string]string{apis.LabelAdoptable: "true"}
			})}, want: planSummary{Pods: []action{patch}, PodName: "box"},
		},
		"the Pod of a deleted Sandbox of the same name is waited for": {
			sandbox: box(), seen: observed{unownedPod: builtPod(box(), ownedBy(apis.KindSandbox, "box", "old"))},
			want: planSummary{Pods: []action{wait}, PodName: "box"},
		},
		"replicas 0 takes the Pod and keeps Service and volumes": {
			sandbox: box(scaledTo(0), service(true), volume("data")), seen: pods(builtPod(box())),
			want: planSummary{State: desiredSuspended, Pods: []action{remove}, Service: create, Volumes: []action{create}},
		},
		"operatingMode Suspended takes the Pod although replicas is 1": {
			sandbox: box(scaledTo(1), mode(agentsv1beta1.OperatingModeSuspended)), seen: pods(builtPod(box())),
			want: planSummary{State: desiredSuspended, Pods: []action{remove}},
		},
		"somebody's Pod under the name of a suspended Sandbox is not touched": {
			sandbox: box(scaledTo(0)),
			seen:    observed{unownedPod: builtPod(box(), unowned, unlabelled)},
			want:    planSummary{State: desiredSuspended},
		},
		"a moment before its shutdown time a Sandbox runs": {
			sandbox: box(shutdown(time.Second, agentsv1beta1.ShutdownPolicyDelete)),
			want:    planSummary{Pods: []action{create}, PodName: "box"},
		},
		"at its shutdown time a Sandbox with Delete is deleted": {
			sandbox: box(shutdown(0, agentsv1beta1.ShutdownPolicyDelete)),
			seen:    pods(builtPod(box())),
			want:    planSummary{State: desiredExpired, DeleteSelf: true},
		},
		"at its shutdown time a Sandbox with Retain loses Pod and Service and keeps its volumes": {
			sandbox: box(shutdown(0, agentsv1beta1.ShutdownPolicyRetain), service(true), volume("data")),
			seen:    observed{pods: []*corev1.Pod{builtPod(box())}, service: serviceOf(box())},
			want:    planSummary{State: desiredExpired, Pods: []action{remove}, Service: remove},
		},
		"a Sandbox without a Service makes none unasked": {
			sandbox: box(), seen: pods(builtPod(box())), want: planSummary{Pods: []action{leave}, PodName: "box"},
		},
		"unset service keeps and repairs the Service we have": {
			sandbox: box(), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: func() *corev1.Service {
				s := serviceOf(box())
				s.Spec.Selector = map[string]string{"app": "other"}
				return s
			}()},
			want: planSummary{Pods: []action{leave}, Service: patch, PodName: "box"},
		},
		"unset service leaves somebody's Service alone": {
			sandbox: box(), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: &corev1.Service{}},
			want: planSummary{Pods: []action{leave}, PodName: "box"},
		},
		"service false removes ours": {
			sandbox: box(service(false)), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: serviceOf(box())},
			want: planSummary{Pods: []action{leave}, Service: remove, PodName: "box"},
		},
		"service false leaves somebody's Service alone": {
			sandbox: box(service(false)), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: &corev1.Service{}},
			want: planSummary{Pods: []action{leave}, PodName: "box"},
		},
		"service true refuses somebody's Service": {
			sandbox: box(service(true)), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: &corev1.Service{}},
			want: planSummary{Pods: []action{leave}, Service: refuse, PodName: "box"},
		},
		"service true takes an offered headless Service": {
			sandbox: box(service(true)), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "box", Labels: map[string]string{apis.LabelAdoptable: "true"}},
				Spec:       corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone},
			}}, want: planSummary{Pods: []action{leave}, Service: patch, PodName: "box"},
		},
		"service true refuses an offered Service with a cluster IP": {
			sandbox: box(service(true)), seen: observed{pods: []*corev1.Pod{builtPod(box())}, service: &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "box", Labels: map[string]string{apis.LabelAdoptable: "true"}},
				Spec:       corev1.ServiceSpec{ClusterIP: "10.0.0.1"},
			}}, want: planSummary{Pods: []action{leave}, Service: refuse, PodName: "box"},
		},
		"no Pod starts on a volume that is somebody's": {
			sandbox: box(volume("data")),
			seen: observed{volumes: map[string]*corev1.PersistentVolumeClaim{"data-box": {
				ObjectMeta: metav1.ObjectMeta{Name: "data-box"},
			}}},
			want: planSummary{Pods: []action{wait}, Volumes: []action{refuse}, PodName: "box"},
		},
		"a Pod that runs already stays although a volume is refused": {
			sandbox: box(volume("data")),
			seen: observed{
				pods:    []*corev1.Pod{builtPod(box(volume("data")))},
				volumes: map[string]*corev1.PersistentVolumeClaim{"data-box": {ObjectMeta: metav1.ObjectMeta{Name: "data-box"}}},
			},
			want: planSummary{Pods: []action{leave}, Volumes: []action{refuse}, PodName: "box"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summaryOf(decide(testNow, tt.sandbox, tt.seen))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecideTouchesNothing(t *testing.T) {
	sandbox := box(service(true), volume("data"), podLabels(map[string]string{"a": "b"}))
	seen := observed{pods: []*corev1.Pod{builtPod(box(), unlabelled)}, service: serviceOf(box())}
	before, pod, svc := sandbox.DeepCopy(), seen.pods[0].DeepCopy(), seen.service.DeepCopy()
	decide(testNow, sandbox, seen)
	if diff := cmp.Diff([]any{before, pod, svc}, []any{sandbox, seen.pods[0], seen.service}); diff != "" {
		t.Errorf("decide changed its arguments:\n%s", diff)
	}
}

func TestAPlanCarriedOutLeavesNothingToDo(t *testing.T) {
	sandbox := box(service(true), volume("data"), podLabels(map[string]string{"a": "b", "app": "sandbox-router"}))
	first := decide(testNow, sandbox, observed{volumes: map[string]*corev1.PersistentVolumeClaim{}})
	second := decide(testNow, sandbox, observed{
		pods: []*corev1.Pod{first.pods[0].want}, service: first.service.want,
		volumes: map[string]*corev1.PersistentVolumeClaim{"data-box": first.volumes[0].want},
	})
	want := planSummary{Pods: []action{leave}, Service: leave, Volumes: []action{leave}, PodName: "box"}
	if diff := cmp.Diff(want, summaryOf(second)); diff != "" {
		t.Errorf("second plan (-want +got):\n%s", diff)
	}
}
