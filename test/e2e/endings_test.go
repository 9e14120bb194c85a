// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// exitsOnTerm runs a process that exits with code 0 on SIGTERM, so that its Pod is Succeeded for a moment, whatever the
// cause of the termination.
func exitsOnTerm(s *agentsv1beta1.Sandbox) {
	s.Spec.PodTemplate.Spec.RestartPolicy = corev1.RestartPolicyNever
	s.Spec.PodTemplate.Spec.Containers[0].Command = []string{
		"sh", "-c", "trap 'exit 0' TERM; while :; do usleep 100000; done",
	}
}

func withPodChange(change func(*corev1.PodSpec, *corev1.Container)) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		change(&s.Spec.PodTemplate.Spec, &s.Spec.PodTemplate.Spec.Containers[0])
	}
}

// finishedReasons holds the last reason of each object's Finished condition.
type finishedReasons struct {
	sync.Mutex
	reasons map[string]string
}

// watchFinished records the Finished conditions of the namespace's Sandboxes and claims from now on.
func watchFinished(h *harness.T) *finishedReasons {
	h.Helper()
	c := &finishedReasons{reasons: map[string]string{}}
	record := func(o client.Object, conditions []metav1.Condition) {
		if finished := apis.FindCondition(conditions, apis.ConditionFinished); finished != nil {
			c.Lock()
			defer c.Unlock()
			c.reasons[o.GetName()] = finished.Reason
		}
	}
	h.Watch(&agentsv1beta1.SandboxList{}, func(_ watch.EventType, o client.Object) {
		if s, ok := o.(*agentsv1beta1.Sandbox); ok {
			record(s, s.Status.Conditions)
		}
	})
	h.Watch(&extensionsv1beta1.SandboxClaimList{}, func(_ watch.EventType, o client.Object) {
		if claim, ok := o.(*extensionsv1beta1.SandboxClaim); ok {
			record(claim, claim.Status.Conditions)
		}
	})
	return c
}

func (c *finishedReasons) of(name string) string {
	c.Lock()
	defer c.Unlock()
	return c.reasons[name]
}

// The cases of the table in docs/adr/0006 in which the work ends by itself.
func TestWorkThatEndsByItselfIsFinished(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	script := func(text string) func(*corev1.PodSpec, *corev1.Container) {
		return func(_ *corev1.PodSpec, c *corev1.Container) { c.Command = []string{"sh", "-c", text} }
	}
	tests := map[string]struct {
		change func(*corev1.PodSpec, *corev1.Container)
		reason string
		says   string
	}{
		"done":   {script("exit 0"), "PodSucceeded", ""},
		"failed": {script("exit 3"), "PodFailed", "3"},
		"missing": {func(_ *corev1.PodSpec, c *corev1.Container) {
			c.Command = []string{"/no/such/program"}
		}, "PodFailed", "128 (StartError)"},
		"greedy": {func(_ *corev1.PodSpec, c *corev1.Container) {
			c.Command = []string{"sh", "-c", "exec tail /dev/zero"}
			c.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("16Mi")}
		}, "PodFailed", "OOMKilled"},
		"late": {func(spec *corev1.PodSpec, _ *corev1.Container) {
			spec.ActiveDeadlineSeconds = new(int64(2))
		}, "PodFailed", "DeadlineExceeded"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.In(t)
			h.Create(h.NewSandbox(name, exitsOnTerm, withPodChange(tt.change)))
			s := h.Condition(name, "Finished=True/"+tt.reason)
			if words := strings.Join(harness.FormatConditions(s), "; "); !strings.Contains(words, tt.says) {
				t.Errorf("the conditions do not contain %q: %s", tt.says, words)
			}
			if !h.Get(name, &corev1.Pod{}) {
				t.Error("the Pod and its logs are gone")
			}
		})
	}
}

// The other cases of that table: the removal of a Pod does not finish the work, and another Pod replaces it.
func TestWorkThatIsTakenAwayIsNotFinished(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	finished := watchFinished(h)
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: h.Namespace}, Value: 1000}
	lower := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: h.Namespace + "-low"}, Value: -1000}
	for _, c := range []*schedulingv1.PriorityClass{class, lower} {
		if err := h.Client.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.KubectlWithoutNamespace("delete", "priorityclass", c.Name) })
	}
	// more than half of the node's two CPUs
	halfNode := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1100m")}

	tests := map[string]struct {
		change  func(*corev1.PodSpec, *corev1.Container)
		disrupt func(h *harness.T, name string)
	}{
		"deleted": {disrupt: func(h *harness.T, name string) { h.MustKubectl("delete", "pod", name) }},
		"evicted": {disrupt: func(h *harness.T, name string) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: name}}
			if err := h.Client.SubResource("eviction").Create(h.Context(), pod, &policyv1.Eviction{}); err != nil {
				h.Fatal(err)
			}
		}},
		"preempted": {
			change: func(spec *corev1.PodSpec, c *corev1.Container) {
				spec.PriorityClassName, c.Resources.Requests = lower.Name, halfNode
			},
			disrupt: func(h *harness.T, name string) {
				h.Create(h.NewSandbox("important", withPodChange(func(spec *corev1.PodSpec, c *corev1.Container) {
					spec.PriorityClassName, c.Resources.Requests = class.Name, halfNode
				})))
				h.Ready("important")
				h.MustKubectl("delete", "sandbox", "important")
			},
		},
		"full": { // the kubelet evicts it, and may lose the record of the eviction
			change: func(spec *corev1.PodSpec, c *corev1.Container) {
				spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
					EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Mi"))},
				}}}
				c.VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}}
			},
			disrupt: func(h *harness.T, name string) {
				h.MustKubectl("exec", name, "--", "dd", "if=/dev/zero", "of=/scratch/file", "bs=1M", "count=4")
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.In(t)
			changes := []func(*agentsv1beta1.Sandbox){exitsOnTerm}
			if tt.change != nil {
				changes = append(changes, withPodChange(tt.change))
			}
			h.Create(h.NewSandbox(name, changes...))
			h.Ready(name)
			before := podUID(h, name)
			tt.disrupt(h, name)
			h.Within(5*time.Minute, "the next Pod", replaced(h, name, before)) // the kubelet checks disk usage once a minute
			h.Ready(name)
			if reason := finished.of(name); reason != "" {
				t.Errorf("it was reported as Finished: %s", reason)
			}
		})
	}
	t.Run("its node goes", func(t *testing.T) {
		t.Parallel()
		h := h.In(t)
		ghost := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: h.Namespace}}
		if err := h.Client.Create(t.Context(), ghost); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.KubectlWithoutNamespace("delete", "node", ghost.Name, "--ignore-not-found") })
		h.Create(h.NewSandbox("lost", exitsOnTerm, withPodChange(func(spec *corev1.PodSpec, _ *corev1.Container) {
			spec.NodeName = ghost.Name
		})))
		h.Eventually("a Pod on a node that has no kubelet", func() error {
			if !h.Get("lost", &corev1.Pod{}) {
				return errors.New("there is none")
			}
			return nil
		})
		before := podUID(h, "lost")
		h.KubectlWithoutNamespace("delete", "node", ghost.Name)
		h.Within(3*time.Minute, "the next Pod", replaced(h, "lost", before))
		if reason := finished.of("lost"); reason != "" {
			t.Errorf("it was reported as Finished: %s", reason)
		}
	})
	t.Run("a claim without patience is suspended, and its Pod deleted", func(t *testing.T) {
		t.Parallel()
		checkClaimKeepsData(h.In(t), finished)
	})
}

// checkClaimKeepsData covers a former loss of data: a claim that is deleted as soon as its work has finished must not
// take a suspension or a deleted Pod for the end of its work.
func checkClaimKeepsData(h *harness.T, finished *finishedReasons) {
	h.Helper()
	h.CreateAll(h.NewTemplate("obedient", func(template *extensionsv1beta1.SandboxTemplate) {
		s := h.NewSandbox("obedient", withVolume, exitsOnTerm)
		template.Spec.PodTemplate, template.Spec.VolumeClaimTemplates = s.Spec.PodTemplate, s.Spec.VolumeClaimTemplates
	}))
	h.CreateAll(h.NewClaim("hasty", "obedient",
		withLifecycle(extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(int32(0)), ShutdownPolicy: policyDelete})))
	s := h.Claimed("hasty")
	h.MustKubectl("exec", s.Name, "--", "sh", "-c", "echo kept > /data/file")
	h.Must("suspend", "claim/hasty")
	h.Must("resume", "claim/hasty")
	h.Claimed("hasty")
	before := podUID(h, s.Name)
	h.MustKubectl("delete", "pod", s.Name)
	h.Eventually("the next Pod", replaced(h, s.Name, before))
	if again := h.Claimed("hasty"); again.UID != s.UID {
		h.Errorf("it is another Sandbox: %s, not %s", again.UID, s.UID)
	}
	if got := h.MustKubectl("exec", s.Name, "--", "cat", "/data/file"); got != "kept\n" {
		h.Errorf("the volume holds %q", got)
	}
	if reason := finished.of("hasty") + finished.of(s.Name); reason != "" {
		h.Errorf("it was reported as Finished: %s", reason)
	}
}

func podUID(h *harness.T, name string) types.UID {
	h.Helper()
	var pod corev1.Pod
	if !h.Get(name, &pod) {
		h.Fatalf("there is no Pod %s", name)
	}
	return pod.UID
}

// replaced returns a check that a Pod with the name exists and is not the one from before.
func replaced(h *harness.T, name string, before types.UID) func() error {
	return func() error {
		var pod corev1.Pod
		if !h.Get(name, &pod) {
			return errors.New("there is none")
		}
		if pod.UID == before {
			return fmt.Errorf("it is still the old Pod: %s %s", pod.Status.Phase, pod.Status.Reason)
		}
		return nil
	}
}
