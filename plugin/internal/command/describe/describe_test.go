// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package describe_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/describe"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/status"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// blocked returns a Sandbox with a volume, and with an image that cannot be pulled.
func blocked() []runtime.Object {
	s := &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{
			Name: "dev", Namespace: "ns", UID: "s", Generation: 1, CreationTimestamp: ago(time.Minute),
			Labels: map[string]string{"team": "a"},
		},
	}
	s.Spec.PodTemplate.Spec.Containers = []corev1.Container{{
		Name: "main", Image: "img:1", Command: []string{"sleep", "infinity"},
		Env:   []corev1.EnvVar{{Name: "TOKEN", Value: "secret"}},
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
	}}
	data := agentsv1beta1.PersistentVolumeClaimTemplate{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: "data"},
	}
	data.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}
	s.Spec.VolumeClaimTemplates = []agentsv1beta1.PersistentVolumeClaimTemplate{data}
	s.Spec.ShutdownTime = &metav1.Time{Time: now.Add(time.Hour)}
	s.Status.Conditions = []metav1.Condition{apis.NewCondition(nil, apis.ConditionReady, false,
		apis.ReasonDependenciesNotReady, "Pod exists with phase: Pending", 1, ago(0))}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "dev", Namespace: "ns", UID: "p", CreationTimestamp: ago(50 * time.Second),
		Labels:          map[string]string{apis.LabelSandboxNameHash: naming.Hash("dev")},
		OwnerReferences: []metav1.OwnerReference{{Kind: apis.KindSandbox, Name: "dev", UID: "s", Controller: new(true)}},
	}, Spec: corev1.PodSpec{NodeName: "n1"}}
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", Image: "img:1", State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"},
		},
	}}}
	volume := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Name: "data-dev", Namespace: "ns", UID: "v",
		OwnerReferences: []metav1.OwnerReference{{Kind: apis.KindSandbox, Name: "dev", UID: "s", Controller: new(true)}},
	}, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}}
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "ns"}, Type: corev1.EventTypeWarning, Reason: "Failed",
		Message:        "no such image",
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "dev", UID: "p"}, LastTimestamp: ago(10 * time.Second),
	}
	return []runtime.Object{s, pod, volume, event}
}

// suspended returns a Sandbox whose spec suspends it.
func suspended() []runtime.Object {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{
		Name: "dev", Namespace: "ns", UID: "s", Generation: 2, CreationTimestamp: ago(time.Hour),
	}}
	s.Spec.Replicas = new(int32(0))
	s.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "main", Image: "img:1"}}
	s.Status.Conditions = []metav1.Condition{
		apis.NewCondition(nil, apis.ConditionReady, false, apis.ReasonSandboxSuspended, apis.MessageSuspended, 2, ago(0)),
		apis.NewCondition(nil, apis.ConditionSuspended, true, apis.ReasonPodTerminated,
			apis.MessageSuspendedPodTerminated, 2, ago(0)),
	}
	return []runtime.Object{s}
}

func TestPagesForPeople(t *testing.T) {
	tests := map[string]struct {
		command string
		objects []runtime.Object
		hidden  bool
		colored bool
		golden  string
	}{
		"describe of a blocked Sandbox": {
			command: "describe", objects: blocked(), golden: "describe-blocked.txt",
		},
		"describe of a suspended Sandbox": {
			command: "describe", objects: suspended(), golden: "describe-suspended.txt",
		},
		"describe without permission to read Pods": {
			command: "describe", objects: blocked(), hidden: true, golden: "describe-hidden.txt",
		},
		"status of a blocked Sandbox": {
			command: "status", objects: blocked(), golden: "status-blocked.txt",
		},
		"status of a blocked Sandbox in colour": {
			command: "status", objects: blocked(), colored: true, golden: "status-colored.txt",
		},
		"status of a suspended Sandbox names the field": {
			command: "status", objects: suspended(), golden: "status-suspended.txt",
		},
		"status as JSON": {
			command: "status -o json", objects: blocked(), golden: "status.json",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(append(tt.objects, builders.Operator(1))...)
			if tt.hidden {
				cluster.Refuse("*", "pods", fakecluster.Forbidden("get", "pods", ""))
			}
			f := &fake.Factory{
				In: "ns", Colored: tt.colored, Time: clocktesting.NewFakeClock(now),
				SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
			}
			streams, _, out, errOut := genericiooptions.NewTestIOStreams()
			cmd := describe.NewCommand(f, streams)
			words := strings.Fields(tt.command)
			if words[0] == "status" {
				cmd = status.NewCommand(f, streams)
			}
			cmd.SetArgs(append(words[1:], "dev"))
			if err := cmd.ExecuteContext(t.Context()); err != nil || errOut.Len() > 0 {
				t.Fatalf("%v, %q", err, errOut.String())
			}
			golden.Compare(t, filepath.Join("testdata", tt.golden), out.Bytes())
		})
	}
}

func TestStatusSaysFirstThatNoOperatorLooksAfterASandbox(t *testing.T) {
	for name, tt := range map[string]struct {
		objects []runtime.Object
		hidden  bool
		says    string // empty: no such message
	}{
		"scaled to zero": {
			objects: []runtime.Object{builders.Operator(0)},
			says:    "no operator manages sandboxes in namespace ns: the operator is scaled to zero",
		},
		"no operator found, which proves nothing": {
			says: "perhaps no operator manages sandboxes in namespace ns: no operator was found",
		},
		"a running operator":                     {objects: []runtime.Object{builders.Operator(1)}},
		"an operator that the user may not read": {objects: []runtime.Object{builders.Operator(0)}, hidden: true},
	} {
		for _, format := range []string{"", "json"} {
			t.Run(name+" "+format, func(t *testing.T) {
				cluster := fakecluster.New(append(suspended(), tt.objects...)...)
				if tt.hidden {
					cluster.Refuse("*", "deployments", fakecluster.Forbidden("list", "deployments", "apps"))
				}
				f := &fake.Factory{
					In: "ns", Time: clocktesting.NewFakeClock(now),
					SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
				}
				streams, _, out, _ := genericiooptions.NewTestIOStreams()
				cmd := status.NewCommand(f, streams)
				cmd.SetArgs([]string{"dev", "-o", format})
				if err := cmd.ExecuteContext(t.Context()); err != nil {
					t.Fatal(err)
				}
				said := out.String()
				switch {
				case tt.says == "" && strings.Contains(said, "operator manages"), tt.says != "" && !strings.Contains(said, tt.says):
					t.Errorf("got %s", said)
				case tt.says != "" && format == "" && !strings.HasPrefix(said, tt.says):
					t.Errorf("not first: %s", said)
				}
			})
		}
	}
}
