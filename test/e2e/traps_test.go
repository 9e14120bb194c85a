// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAWrongPodNameMakesNoSecondPod(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	s := h.Create(h.NewSandbox("hinted"))
	h.Ready("hinted")
	for _, change := range []string{"agents.x-k8s.io/pod-name=ghost", "agents.x-k8s.io/pod-name-"} {
		h.MustKubectl("annotate", "--overwrite", "sandbox/hinted", change)
		h.Eventually("the annotation is repaired", func() error {
			var now agentsv1beta1.Sandbox
			h.Get("hinted", &now)
			if got := now.Annotations[apis.AnnotationPodName]; got != "hinted" {
				return fmt.Errorf("it is %q", got)
			}
			return nil
		})
		if pods := h.OwnedPods(s); len(pods) != 1 {
			t.Fatalf("after %s there are %d Pods", change, len(pods))
		}
	}
}

func TestSomebodysObjectsAreNotTaken(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: "taken", Labels: map[string]string{"app": "theirs"}},
	}
	h.NewSandbox("x").Spec.PodTemplate.Spec.DeepCopyInto(&pod.Spec)
	if err := h.Client.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	h.Create(h.NewSandbox("taken"))
	s := h.Condition("taken", "Ready=False/ReconcilerError")
	message := apis.FindCondition(s.Status.Conditions, apis.ConditionReady).Message
	for _, word := range []string{"Pod \"taken\"", "delete it", "agents.x-k8s.io/adoptable=true"} {
		if !strings.Contains(message, word) {
			t.Errorf("the message lacks %q: %s", word, message)
		}
	}
	if s.Status.Replicas != 0 || len(s.Status.PodIPs) != 0 {
		t.Errorf("the status reports a Pod that the Sandbox does not own: %+v", s.Status)
	}
	h.MustKubectl("label", "pod/taken", "agents.x-k8s.io/adoptable=true")
	ready := h.Ready("taken")
	h.Get("taken", pod)
	if !metav1.IsControlledBy(pod, ready) || pod.Labels["app"] != "theirs" {
		t.Errorf("the Pod that may be adopted was not adopted unchanged: %v %v", pod.OwnerReferences, pod.Labels)
	}
}

func TestDeletedWithOrphansAndMadeAgainItTakesItsChildrenBack(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("twice", withService, withVolume))
	h.Ready("twice")
	var before, after corev1.Pod
	h.Get("twice", &before)
	h.MustKubectl("delete", "sandbox/twice", "--cascade=orphan")
	h.Create(h.NewSandbox("twice", withService, withVolume))
	s := h.Ready("twice")
	h.Get("twice", &after)
	if before.UID != after.UID || !metav1.IsControlledBy(&after, s) {
		t.Errorf("Pod %s (owners %v), want the orphan %s", after.UID, after.OwnerReferences, before.UID)
	}
	h.Eventually("the volume is taken back", func() error { // the Pod may be Ready before that
		var pvc corev1.PersistentVolumeClaim
		if h.Get("data-twice", &pvc); !metav1.IsControlledBy(&pvc, s) {
			return fmt.Errorf("it belongs to %v", pvc.OwnerReferences)
		}
		return nil
	})
}

func TestDeletedAndMadeAgainAtOnceItWaitsForTheOldPod(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("again", withVolume))
	h.Ready("again")
	h.MustKubectl("delete", "sandbox/again", "--wait=false")
	h.Gone("again", &agentsv1beta1.Sandbox{})
	s := h.Create(h.NewSandbox("again", withVolume))
	h.Ready("again")
	if pods := h.OwnedPods(s); len(pods) != 1 {
		t.Errorf("there are %d Pods", len(pods))
	}
}

func TestATenantCannotHijackAnotherSandboxesService(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ports := func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 8080}}
	}
	h.Create(h.NewSandbox("victim", withService, ports))
	victim := h.Ready("victim")
	var pod corev1.Pod
	h.Get("victim", &pod)
	h.Create(h.NewSandbox("thief", ports, func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{
			apis.LabelSandboxNameHash: pod.Labels[apis.LabelSandboxNameHash],
			apis.LabelSandboxUID:      pod.Labels[apis.LabelSandboxUID], "app": "sandbox-router",
		}
	}))
	h.Ready("thief")
	h.Eventually("the Service leads to its own Pod alone", func() error {
		var slices discoveryv1.EndpointSliceList
		err := h.Client.List(t.Context(), &slices, client.InNamespace(h.Namespace),
			client.MatchingLabels{discoveryv1.LabelServiceName: "victim"})
		if err != nil {
			return err
		}
		var got []string
		for _, slice := range slices.Items {
			for _, endpoint := range slice.Endpoints {
				got = append(got, endpoint.Addresses...)
			}
		}
		if len(got) != 1 || got[0] != victim.Status.PodIPs[0] {
			return fmt.Errorf("endpoints are %v, want %v", got, victim.Status.PodIPs)
		}
		return nil
	})
	events := h.MustKubectl("get", "events", "--field-selector=involvedObject.name=thief,reason=MetadataDropped", "-o",
		"name")
	if strings.Count(events, "event/") != 1 {
		t.Errorf("want one warning about the dropped labels, got %q", events)
	}
}

func TestWhatIsDeletedOrEditedIsRepaired(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	s := h.Create(h.NewSandbox("mended", withService))
	h.Ready("mended")
	mended := func(what string, check func(*corev1.Pod, *corev1.Service) error) {
		h.Eventually(what, func() error {
			var pod corev1.Pod
			var svc corev1.Service
			if !h.Get("mended", &pod) || !h.Get("mended", &svc) {
				return fmt.Errorf("Pod or Service is missing")
			}
			return check(&pod, &svc)
		})
	}
	var before corev1.Pod
	h.Get("mended", &before)

	h.MustKubectl("label", "--overwrite", "pod/mended", apis.LabelSandboxNameHash+"-")
	mended("the Pod's label", func(pod *corev1.Pod, _ *corev1.Service) error {
		if pod.Labels[apis.LabelSandboxNameHash] == "" || pod.UID != before.UID {
			return fmt.Errorf("labels %v, uid %s", pod.Labels, pod.UID)
		}
		return nil
	})
	h.MustKubectl("delete", "service/mended")
	mended("the Service", func(*corev1.Pod, *corev1.Service) error { return nil })
	h.MustKubectl("patch", "service/mended", "--type=merge", "-p", "{\"spec\":{\"selector\":{\"app\":\"other\"}}}")
	mended("the selector", func(pod *corev1.Pod, svc *corev1.Service) error {
		if len(svc.Spec.Selector) != 2 || svc.Spec.Selector[apis.LabelSandboxUID] != string(s.UID) {
			return fmt.Errorf("selector %v", svc.Spec.Selector)
		}
		return nil
	})
	h.MustKubectl("delete", "pod/mended", "--wait=false")
	mended("the Pod", func(pod *corev1.Pod, _ *corev1.Service) error {
		if pod.UID == before.UID {
			return fmt.Errorf("it is still the old one")
		}
		return nil
	})
	h.Ready("mended")
}

func TestADrainMovesASandboxAndDoesNotWedgeIt(t *testing.T) {
	h := harness.New(t) // not parallel: it cordons the only node
	s := h.Create(h.NewSandbox("drained"))
	h.Ready("drained")
	var before, after corev1.Pod
	h.Get("drained", &before)
	node := before.Spec.NodeName
	defer h.MustKubectl("uncordon", node)
	h.MustKubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--pod-selector="+
		apis.LabelSandboxUID+"="+string(s.UID), "--timeout=60s")
	pending := h.Condition("drained", "Ready=False/DependenciesNotReady")
	h.Eventually("Ready says why", func() error {
		h.Get("drained", pending)
		if words := strings.Join(harness.FormatConditions(pending), ""); !strings.Contains(words, "Unschedulable") {
			return fmt.Errorf("conditions are %s", words)
		}
		return nil
	})
	h.MustKubectl("uncordon", node)
	h.Ready("drained")
	if h.Get("drained", &after); after.UID == before.UID {
		t.Error("the Pod was not replaced")
	}
}

func TestAFinishedPodSaysSo(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("failed", running("sh", "-c", "exit 3")))
	s := h.Condition("failed", "Ready=False/PodFailed")
	message := apis.FindCondition(s.Status.Conditions, apis.ConditionFinished).Message
	if !strings.Contains(message, "code 3") {
		t.Errorf("the message does not name the exit code: %s", message)
	}
}
