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

// digest is what a table compares of a plan.
type digest struct {
	Wish    wish
	End     bool
	Pods    []verb
	Service verb
	Claims  []verb
	PodName string
}

func digestOf(p plan) digest {
	d := digest{Wish: p.wish, End: p.end, Service: p.service.verb, PodName: p.podName}
	for _, s := range p.pods {
		d.Pods = append(d.Pods, s.verb)
	}
	for _, s := range p.claims {
		d.Claims = append(d.Claims, s.verb)
	}
	return d
}

func pods(all ...*corev1.Pod) observed { return observed{pods: all} }

func TestDecide(t *testing.T) {
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		seen    observed
		want    digest
	}{
		"a running Sandbox without a Pod gets one under its own name": {
			sandbox: box(), want: digest{Pods: []verb{create}, PodName: "box"},
		},
		"a Pod that is as it should be is left alone": {
			sandbox: box(), seen: pods(ours(box(), ready)), want: digest{Pods: []verb{leave}, PodName: "box"},
		},
		"an annotation that names another Pod does not make a second one while ours lives": {
			sandbox: box(annotated(apis.AnnotationPodName, "ghost")), seen: pods(ours(box())),
			want: digest{Pods: []verb{leave}, PodName: "box"},
		},
		"a missing annotation is repaired from the Pod that the owner reference names": {
			sandbox: box(), seen: pods(ours(box(), called("warm-1"))), want: digest{Pods: []verb{leave}, PodName: "warm-1"},
		},
		"an annotation that names a Pod which is gone leads to a Pod under the Sandbox's name": {
			sandbox: box(annotated(apis.AnnotationPodName, "ghost")), want: digest{Pods: []verb{create}, PodName: "box"},
		},
		"our Pod with an edited label is repaired": {
			sandbox: box(), seen: pods(ours(box(), unlabelled)), want: digest{Pods: []verb{patch}, PodName: "box"},
		},
		"while our Pod is going no other is made": {
			sandbox: box(), seen: pods(ours(box(), goingAway)), want: digest{Pods: []verb{wait}, PodName: "box"},
		},
		"of one going and one living Pod the living one is ours": {
			sandbox: box(), seen: pods(ours(box(), goingAway), ours(box(), called("other"))),
			want: digest{Pods: []verb{leave}, PodName: "other"},
		},
		"two living Pods are both left alone": {
			sandbox: box(annotated(apis.AnnotationPodName, "box")), seen: pods(ours(box()), ours(box(), called("other"))),
			want: digest{Pods: []verb{leave, leave}, PodName: "box"},
		},
		"two living Pods of a suspended Sandbox are left alone too: a person chooses": {
			sandbox: box(scaledTo(0)), seen: pods(ours(box()), ours(box(), called("other"))),
			want: digest{Wish: wishSuspended, Pods: []verb{leave, leave}},
		},
		"two living Pods of an expired Sandbox both go": {
			sandbox: box(shutdown(0, agentsv1beta1.ShutdownPolicyRetain)), seen: pods(ours(box()), ours(box(), called("other"))),
			want: digest{Wish: wishExpired, Pods: []verb{remove, remove}},
		},
		"a Pod that somebody made under our name is refused": {
			sandbox: box(), seen: observed{named: ours(box(), unowned, unlabelled)}, want: digest{Pods: []verb{refuse}},
		},
		"a Pod that a ReplicaSet controls is refused whatever its labels say": {
			sandbox: box(), seen: observed{named: ours(box(), ownedBy("ReplicaSet", "rs", "rs"))}, want: digest{Pods: []verb{refuse}},
		},
		"an orphaned Pod of ours is taken back by its tracking label": {
			sandbox: box(), seen: observed{named: ours(box(), unowned)}, want: digest{Pods: []verb{patch}, PodName: "box"},
		},
		"a tracking label of another Sandbox is no permission": {
			sandbox: box(), seen: observed{named: ours(box(), unowned, func(p *corev1.Pod) {
				p.Labels[apis.LabelSandboxNameHash] = "ffffffff"
			})}, want: digest{Pods: []verb{refuse}},
		},
		"a Pod that is offered by label is taken": {
			sandbox: box(), seen: observed{named: ours(box(), unowned, func(p *corev1.Pod) {
				p.Labels = map[string]string{apis.LabelAdoptable: "true"}
			})}, want: digest{Pods: []verb{patch}, PodName: "box"},
		},
		"the Pod of a deleted Sandbox of the same name is waited for": {
			sandbox: box(), seen: observed{named: ours(box(), ownedBy(apis.KindSandbox, "box", "old"))},
			want: digest{Pods: []verb{wait}, PodName: "box"},
		},
		"replicas 0 takes the Pod and keeps Service and volumes": {
			sandbox: box(scaledTo(0), service(true), volume("data")), seen: pods(ours(box())),
			want: digest{Wish: wishSuspended, Pods: []verb{remove}, Service: create, Claims: []verb{create}},
		},
		"operatingMode Suspended takes the Pod although replicas is 1": {
			sandbox: box(scaledTo(1), mode(agentsv1beta1.OperatingModeSuspended)), seen: pods(ours(box())),
			want: digest{Wish: wishSuspended, Pods: []verb{remove}},
		},
		"somebody's Pod under the name of a suspended Sandbox is not touched": {
			sandbox: box(scaledTo(0)), seen: observed{named: ours(box(), unowned, unlabelled)}, want: digest{Wish: wishSuspended},
		},
		"a moment before its shutdown time a Sandbox runs": {
			sandbox: box(shutdown(time.Second, agentsv1beta1.ShutdownPolicyDelete)), want: digest{Pods: []verb{create}, PodName: "box"},
		},
		"at its shutdown time a Sandbox with Delete is deleted": {
			sandbox: box(shutdown(0, agentsv1beta1.ShutdownPolicyDelete)), seen: pods(ours(box())), want: digest{Wish: wishExpired, End: true},
		},
		"at its shutdown time a Sandbox with Retain loses Pod and Service and keeps its volumes": {
			sandbox: box(shutdown(0, agentsv1beta1.ShutdownPolicyRetain), service(true), volume("data")),
			seen:    observed{pods: []*corev1.Pod{ours(box())}, service: serviceOf(box())},
			want:    digest{Wish: wishExpired, Pods: []verb{remove}, Service: remove},
		},
		"a Sandbox without a Service makes none unasked": {
			sandbox: box(), seen: pods(ours(box())), want: digest{Pods: []verb{leave}, PodName: "box"},
		},
		"unset service keeps and repairs the Service we have": {
			sandbox: box(), seen: observed{pods: []*corev1.Pod{ours(box())}, service: func() *corev1.Service {
				s := serviceOf(box())
				s.Spec.Selector = map[string]string{"app": "other"}
				return s
			}()},
			want: digest{Pods: []verb{leave}, Service: patch, PodName: "box"},
		},
		"unset service leaves somebody's Service alone": {
			sandbox: box(), seen: observed{pods: []*corev1.Pod{ours(box())}, service: &corev1.Service{}},
			want: digest{Pods: []verb{leave}, PodName: "box"},
		},
		"service false removes ours": {
			sandbox: box(service(false)), seen: observed{pods: []*corev1.Pod{ours(box())}, service: serviceOf(box())},
			want: digest{Pods: []verb{leave}, Service: remove, PodName: "box"},
		},
		"service false leaves somebody's Service alone": {
			sandbox: box(service(false)), seen: observed{pods: []*corev1.Pod{ours(box())}, service: &corev1.Service{}},
			want: digest{Pods: []verb{leave}, PodName: "box"},
		},
		"service true refuses somebody's Service": {
			sandbox: box(service(true)), seen: observed{pods: []*corev1.Pod{ours(box())}, service: &corev1.Service{}},
			want: digest{Pods: []verb{leave}, Service: refuse, PodName: "box"},
		},
		"service true takes an offered headless Service": {
			sandbox: box(service(true)), seen: observed{pods: []*corev1.Pod{ours(box())}, service: &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "box", Labels: map[string]string{apis.LabelAdoptable: "true"}},
				Spec:       corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone},
			}}, want: digest{Pods: []verb{leave}, Service: patch, PodName: "box"},
		},
		"service true refuses an offered Service with a cluster IP": {
			sandbox: box(service(true)), seen: observed{pods: []*corev1.Pod{ours(box())}, service: &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "box", Labels: map[string]string{apis.LabelAdoptable: "true"}},
				Spec:       corev1.ServiceSpec{ClusterIP: "10.0.0.1"},
			}}, want: digest{Pods: []verb{leave}, Service: refuse, PodName: "box"},
		},
		"no Pod starts on a volume that is somebody's": {
			sandbox: box(volume("data")),
			seen: observed{claims: map[string]*corev1.PersistentVolumeClaim{"data-box": {
				ObjectMeta: metav1.ObjectMeta{Name: "data-box"},
			}}},
			want: digest{Pods: []verb{wait}, Claims: []verb{refuse}, PodName: "box"},
		},
		"a Pod that runs already stays although a volume is refused": {
			sandbox: box(volume("data")),
			seen: observed{
				pods:   []*corev1.Pod{ours(box(volume("data")))},
				claims: map[string]*corev1.PersistentVolumeClaim{"data-box": {ObjectMeta: metav1.ObjectMeta{Name: "data-box"}}},
			},
			want: digest{Pods: []verb{leave}, Claims: []verb{refuse}, PodName: "box"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, digestOf(decide(testNow, tt.sandbox, tt.seen))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecideTouchesNothing(t *testing.T) {
	sandbox := box(service(true), volume("data"), podLabels(map[string]string{"a": "b"}))
	seen := observed{pods: []*corev1.Pod{ours(box(), unlabelled)}, service: serviceOf(box())}
	before, pod, svc := sandbox.DeepCopy(), seen.pods[0].DeepCopy(), seen.service.DeepCopy()
	decide(testNow, sandbox, seen)
	if diff := cmp.Diff([]any{before, pod, svc}, []any{sandbox, seen.pods[0], seen.service}); diff != "" {
		t.Errorf("decide changed its arguments:\n%s", diff)
	}
}

func TestAPlanCarriedOutLeavesNothingToDo(t *testing.T) {
	sandbox := box(service(true), volume("data"), podLabels(map[string]string{"a": "b", "app": "sandbox-router"}))
	first := decide(testNow, sandbox, observed{claims: map[string]*corev1.PersistentVolumeClaim{}})
	second := decide(testNow, sandbox, observed{
		pods: []*corev1.Pod{first.pods[0].want}, service: first.service.want,
		claims: map[string]*corev1.PersistentVolumeClaim{"data-box": first.claims[0].want},
	})
	want := digest{Pods: []verb{leave}, Service: leave, Claims: []verb{leave}, PodName: "box"}
	if diff := cmp.Diff(want, digestOf(second)); diff != "" {
		t.Errorf("second plan (-want +got):\n%s", diff)
	}
}
