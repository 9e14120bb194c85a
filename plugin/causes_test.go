// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// stuck is a claim that does not become ready.
type stuck struct {
	// reason and message are those of the claim's Ready condition, and of its Sandbox's if it has one. If the message is
	// empty, it is what the operator says about the Pod; if the reason is empty too, there are no conditions.
	reason  apis.Reason
	message string
	// pod is the state of the Pod; nil if there is none.
	pod b.PodOption
	// noSandbox means that the claim has no Sandbox.
	noSandbox bool
	// fromPool makes the claim name a pool instead of a template.
	fromPool bool
	// operator is the number of the operator's replicas: 1 unless given, and below 0 there is no operator.
	operator int32
	with     []runtime.Object

	// says is what every place says; dashboard is what its table says instead, if that differs.
	says, dashboard string
	// next is what status says is to be done, first. never is what it must not say.
	next, never string
}

const runtimeError = `rpc error: code = NotFound desc = failed to pull and unpack image "registry.test/app:v1": ` +
	`failed to resolve reference "registry.test/app:v1": registry.test/app:v1: not found`

func pythonTemplate() runtime.Object { return b.Template("python", b.WithUID("t")) }

// causes are the reasons why a sandbox does not become ready, as the objects of a cluster show them.
func causes(now time.Time) map[string]stuck {
	rejected := corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "rejected"},
		Reason:     string(apis.ReasonReconcilerError), Action: apis.ActionAwaitChange, LastTimestamp: metav1.NewTime(now),
		InvolvedObject: corev1.ObjectReference{Kind: "Sandbox", Name: "dev", UID: "s"},
	}
	pods := resource.MustParse("0")
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "small"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: pods}},
		Status:     corev1.ResourceQuotaStatus{Hard: corev1.ResourceList{corev1.ResourcePods: pods}},
	}
	return map[string]stuck{
		"the image cannot be pulled": {
			pod:    b.Waiting("ImagePullBackOff", `Back-off pulling image "x": ErrImagePull: `+runtimeError),
			with:   []runtime.Object{pythonTemplate()},
			reason: apis.ReasonDependenciesNotReady, says: "not found",
			next: "correct the image in template python", never: "failed to resolve reference",
		},
		"the image cannot be pulled, and its template is gone": {
			pod:    b.Waiting("ErrImagePull", runtimeError),
			reason: apis.ReasonDependenciesNotReady, says: "not found",
			next: "template python does not exist: create it", never: "correct the image",
		},
		"the template is gone": {
			noSandbox: true, reason: apis.ReasonTemplateNotFound,
			message: `SandboxTemplate "python" does not exist in namespace`, says: `"python" does not exist`,
			next: "template create python --image IMAGE", never: "delete dev",
		},
		"the template of its pool is gone": {
			noSandbox: true, fromPool: true, reason: apis.ReasonTemplateNotFound,
			with:    []runtime.Object{b.Pool("warm", "python")},
			message: `SandboxTemplate "python" of SandboxWarmPool "warm" does not exist`,
			says:    `"python" of SandboxWarmPool "warm" does not exist`, next: "template create python", never: "delete dev",
		},
		"the pool is gone": {
			noSandbox: true, fromPool: true, reason: apis.ReasonWarmPoolNotFound,
			message: `SandboxWarmPool "warm" does not exist in namespace`,
			says:    `"warm" does not exist`, next: "pool create warm --template TEMPLATE", never: "delete dev",
		},
		"the quota is full": {
			reason: apis.ReasonReconcilerError, message: `pods "dev" is forbidden: exceeded quota: small`,
			with: []runtime.Object{quota, pythonTemplate()}, says: "exceeded quota: small", next: "raise the quota",
		},
		"a policy rejects the Pod": {
			reason: apis.ReasonReconcilerError, message: `admission webhook "policy" denied the request: no root`,
			with: []runtime.Object{&rejected, pythonTemplate()}, says: "denied the request: no root",
			next: "correct what the message names in template python",
		},
		"no node fits": {
			pod: b.Unschedulable("0/1 nodes are available: 1 Insufficient cpu."), with: []runtime.Object{pythonTemplate()},
			reason: apis.ReasonDependenciesNotReady, says: "Insufficient cpu", next: "add a node that fits",
		},
		"a volume is not bound": {
			pod:    b.Unschedulable("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
			reason: apis.ReasonDependenciesNotReady, says: "unbound immediate PersistentVolumeClaims",
			with: []runtime.Object{pythonTemplate()}, next: "add a node that fits",
		},
		"it crashes again and again": {
			pod: b.CrashLoop(3, 5), reason: apis.ReasonDependenciesNotReady,
			says: "code 3", next: "logs dev --previous",
		},
		"its node is down": {
			pod: b.PodWith(func(p *corev1.Pod) {
				b.Pod("x", b.Ready(), b.OnNode("n1")).DeepCopyInto(p)
				p.Status.Conditions = []corev1.PodCondition{
					{Type: corev1.PodReady, Status: corev1.ConditionFalse},
					{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
				}
			}),
			reason: apis.ReasonDependenciesNotReady, says: "node n1", next: "kubectl describe node n1",
		},
		"the operator is scaled to zero": {
			operator: 0, noSandbox: true, says: "the operator is scaled to zero", dashboard: "the operator has not seen it yet",
			next: "kubectl scale -n agent-sandbox-system deployment/agent-sandbox-controller --replicas=1",
		},
		"there is no operator": {
			operator: -1, noSandbox: true, says: "no operator was found", dashboard: "the operator has not seen it yet",
			next: "install the operator",
		},
		"the operator is scaled to zero, and the image cannot be pulled": {
			operator: 0, pod: b.Waiting("ErrImagePull", runtimeError), says: "the operator is scaled to zero",
			dashboard: "the operator has not seen it yet", next: "--replicas=1",
		},
	}
}

// objects returns the claim, what belongs to it and the operator.
func (s *stuck) objects(now time.Time) (
	claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, all []runtime.Object,
) {
	created := b.CreatedAt(now.Add(-time.Minute))
	options := []b.ClaimOption{b.WithUID("c"), created}
	if s.fromPool {
		options = append(options, b.FromPool("warm"))
	}
	var pod *corev1.Pod
	message := s.message
	if s.pod != nil {
		pod = b.Pod("dev", b.WithUID("p"), b.OnNode("n1"), s.pod, b.WithLabel(apis.LabelSandboxNameHash, naming.Hash("dev")))
		pod.Namespace, pod.Name, pod.UID = b.Namespace, "dev", "p"
		if message == "" {
			message = apis.MessagePodPhase + "Pending: " + podreason.Message(pod)
		}
	}
	if s.reason != "" {
		options = append(options, b.WithCondition(apis.ConditionReady, false, s.reason, message, now))
	}
	if !s.noSandbox {
		options = append(options, b.BoundTo("dev"))
	}
	claim = b.Claim("dev", "python", options...)
	all = append(all, claim)
	if !s.noSandbox {
		made := []b.SandboxOption{
			b.WithUID("s"), created, b.OwnedBy(claim), b.WithAnnotation(apis.AnnotationTemplateRef, "python"),
		}
		if s.reason != "" {
			made = append(made, b.WithCondition(apis.ConditionReady, false, s.reason, message, now))
		}
		sandbox = b.Sandbox("dev", made...)
		all = append(all, sandbox)
	}
	if pod != nil {
		pod.OwnerReferences = b.Pod("dev", b.OwnedBy(sandbox)).OwnerReferences
		all = append(all, pod)
	}
	if s.operator >= 0 {
		all = append(all, b.Operator(s.operator))
	}
	return claim, sandbox, append(all, s.with...)
}
