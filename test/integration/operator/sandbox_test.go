// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

func TestALifeWithTheInstalledRolesAndNoMore(t *testing.T) {
	w := start(t, server)
	s := sandbox("box")
	s.Spec.VolumeClaimTemplates = []agentsv1beta1.PersistentVolumeClaimTemplate{{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}}
	w.create(s)
	w.markPodReady("box")
	ready := w.condition("box", apis.ConditionReady, apis.ReasonDependenciesReady)
	if ready.Status.Replicas != 1 || ready.Status.Service != "box" || ready.Annotations[apis.AnnotationPodName] != "box" {
		t.Errorf("status %+v, annotations %v", ready.Status, ready.Annotations)
	}
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 0}}
	if err := w.client.SubResource("scale").Update(t.Context(), ready, client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	suspended := w.condition("box", apis.ConditionSuspended, apis.ReasonPodTerminated)
	w.gone("box", &corev1.Pod{})
	if suspended.Status.Replicas != 0 {
		t.Errorf("replicas stay %d after scaling to 0", suspended.Status.Replicas)
	}
	now := metav1.Now()
	w.edit("box", func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = &now })
	w.condition("box", apis.ConditionReady, apis.ReasonSandboxExpired)
	w.gone("box", &corev1.Service{})
	if err := w.get("data-box", &corev1.PersistentVolumeClaim{}); err != nil {
		t.Errorf("the volume of a retained Sandbox: %v", err)
	}
	policy := agentsv1beta1.ShutdownPolicyDelete
	w.edit("box", func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownPolicy = &policy })
	w.gone("box", &agentsv1beta1.Sandbox{})
}

func (w *world) edit(name string, change func(*agentsv1beta1.Sandbox)) {
	w.Helper()
	var s agentsv1beta1.Sandbox
	if err := w.get(name, &s); err != nil {
		w.Fatal(err)
	}
	was := s.DeepCopy()
	change(&s)
	if err := w.client.Patch(w.Context(), &s, client.MergeFrom(was)); err != nil {
		w.Fatal(err)
	}
}

func TestWhatTheAPIServerRefusesIsNamedAndHealsWithTheSpec(t *testing.T) {
	w := start(t, server)
	s := sandbox("impossible")
	s.Spec.PodTemplate.Spec.Containers[0].Resources = corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
	}
	w.create(s)
	refused := w.condition("impossible", apis.ConditionReady, apis.ReasonReconcilerError)
	message := apis.FindCondition(refused.Status.Conditions, apis.ConditionReady).Message
	if !strings.Contains(message, "must be less than or equal to cpu limit") {
		t.Errorf("the message does not say what to change: %s", message)
	}
	w.edit("impossible", func(s *agentsv1beta1.Sandbox) { s.Spec.PodTemplate.Spec.Containers[0].Resources.Requests = nil })
	w.markPodReady("impossible")
	w.condition("impossible", apis.ConditionReady, apis.ReasonDependenciesReady)
}

func TestAPodWithoutOurLabelIsFoundAgainAndAnOrphanIsTakenBack(t *testing.T) {
	w := start(t, server)
	w.create(sandbox("box"))
	pod := w.markPodReady("box")
	w.condition("box", apis.ConditionReady, apis.ReasonDependenciesReady)
	strip := []byte(fmt.Sprintf("{\"metadata\":{\"labels\":{%q:null},\"ownerReferences\":null}}", apis.LabelSandboxUID))
	if err := w.client.Patch(t.Context(), pod, client.RawPatch(types.MergePatchType, strip)); err != nil {
		t.Fatal(err)
	}
	mended := func() error {
		var now corev1.Pod
		if err := w.get("box", &now); err != nil {
			return err
		}
		if now.UID != pod.UID {
			t.Fatal("there is a second Pod")
		}
		if now.Labels[apis.LabelSandboxUID] == "" || now.Labels[apis.LabelSandboxNameHash] == "" ||
			len(now.OwnerReferences) != 1 {
			return fmt.Errorf("labels %v, owners %v", now.Labels, now.OwnerReferences)
		}
		return nil
	}
	w.eventually("the Sandbox owns the orphan again", mended)
	strip = []byte(fmt.Sprintf("{\"metadata\":{\"labels\":{%q:null}}}", apis.LabelSandboxNameHash))
	if err := w.client.Patch(t.Context(), pod, client.RawPatch(types.MergePatchType, strip)); err != nil {
		t.Fatal(err)
	}
	w.eventually("the label is back", mended)
}

func TestAStandstillIsOne(t *testing.T) {
	w := start(t, server)
	w.create(sandbox("still"))
	w.markPodReady("still")
	version := w.condition("still", apis.ConditionReady, apis.ReasonDependenciesReady).ResourceVersion
	// Meanwhile a second Sandbox starts and is suspended. A hot loop of the first would change its resource version.
	w.create(sandbox("other"))
	w.markPodReady("other")
	w.condition("other", apis.ConditionReady, apis.ReasonDependenciesReady)
	w.edit("other", func(s *agentsv1beta1.Sandbox) { zero := int32(0); s.Spec.Replicas = &zero })
	w.condition("other", apis.ConditionSuspended, apis.ReasonPodTerminated)
	var now agentsv1beta1.Sandbox
	if err := w.get("still", &now); err != nil || now.ResourceVersion != version {
		t.Errorf("version moved from %s to %s (%v)", version, now.ResourceVersion, err)
	}
}

func TestASandboxExpiresAtItsTime(t *testing.T) {
	w := start(t, server)
	w.create(sandbox("before")) // a new operator first handles the objects that other tests have left
	w.condition("before", apis.ConditionReady, apis.ReasonDependenciesNotReady)
	s := sandbox("short")
	at := metav1.NewTime(time.Now().Add(2 * time.Second).Truncate(time.Second))
	policy := agentsv1beta1.ShutdownPolicyDelete
	s.Spec.ShutdownTime, s.Spec.ShutdownPolicy = &at, &policy
	w.create(s)
	w.gone("short", &agentsv1beta1.Sandbox{})
	if late := time.Since(at.Time); late < 0 || late > 3*time.Second {
		t.Errorf("gone %v after its time", late)
	}
}

func TestInstalledBeforeItsCRDsTheOperatorWaitsAliveAndSaysWhy(t *testing.T) {
	bare, err := apiserver.Start(apiserver.WithoutCRDs())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bare.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := start(t, bare)
	w.eventually("alive, not ready", func() error {
		if live, ready := w.probe("/healthz"), w.probe("/readyz"); live != http.StatusOK ||
			ready != http.StatusInternalServerError {
			return fmt.Errorf("healthz %d, readyz %d", live, ready)
		}
		return nil
	})
	w.applyCRD(bare)
	w.eventually("ready", func() error {
		if ready := w.probe("/readyz"); ready != http.StatusOK {
			return fmt.Errorf("readyz %d", ready)
		}
		return nil
	})
	w.create(sandbox("first"))
	w.markPodReady("first")
	w.condition("first", apis.ConditionReady, apis.ReasonDependenciesReady)
}

// applyCRD installs the core CRD and returns when it is served.
func (w *world) applyCRD(s *apiserver.Server) {
	w.Helper()
	raw, err := crds.Files.ReadFile("agents/agents.x-k8s.io_sandboxes.yaml")
	if err != nil {
		w.Fatal(err)
	}
	if _, stderr, err := s.Kubectl(w.T, string(raw), "apply", "--server-side", "-f", "-"); err != nil {
		w.Fatalf("apply: %v: %s", err, stderr)
	}
	w.eventually("the CRD is served", func() error {
		return w.client.List(w.Context(), &agentsv1beta1.SandboxList{})
	})
}

func TestANodeThatGoesAwayIsReportedAndItsPodNeverDoubled(t *testing.T) {
	w := start(t, server)
	w.create(sandbox("box"))
	w.eventually("a Pod", func() error { return w.get("box", &corev1.Pod{}) })
	var pod corev1.Pod
	if err := w.get("box", &pod); err != nil {
		t.Fatal(err)
	}
	binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: "lost"}}
	if err := w.client.SubResource("binding").Create(t.Context(), &pod, binding); err != nil {
		t.Fatal(err)
	}
	w.markPodReady("box")
	w.condition("box", apis.ConditionReady, apis.ReasonDependenciesReady)
	if err := w.get("box", &pod); err != nil {
		t.Fatal(err)
	}
	// The node's kubelet stops reporting: the node controller sets the Pod's condition and evicts the Pod, but no
	// kubelet confirms that it has ended.
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "NodeNotReady"},
	}
	if err := w.client.Status().Update(t.Context(), &pod); err != nil {
		t.Fatal(err)
	}
	w.condition("box", apis.ConditionReady, apis.ReasonDependenciesNotReady)
	if err := w.client.Delete(t.Context(), &pod); err != nil {
		t.Fatal(err)
	}
	w.eventually("the wait is explained", func() error {
		s := w.condition("box", apis.ConditionReady, apis.ReasonDependenciesNotReady)
		if message := apis.FindCondition(s.Status.Conditions,
			apis.ConditionReady).Message; !strings.Contains(message, "waiting until Pod box is gone") {
			return fmt.Errorf("message is %q", message)
		}
		return nil
	})
	if err := w.client.Delete(t.Context(), &pod, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	w.eventually("a new Pod", func() error {
		var now corev1.Pod
		if err := w.get("box", &now); err != nil {
			return err
		}
		if now.UID == pod.UID {
			return fmt.Errorf("it is still the old Pod")
		}
		return nil
	})
}
