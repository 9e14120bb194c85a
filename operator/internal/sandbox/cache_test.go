// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// wholePod returns a Pod with everything that the reconcilers read, and with much that they do not.
func wholePod() *corev1.Pod {
	pod := builders.Pod("dev")
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	always := corev1.ContainerRestartPolicyAlways
	pod.Spec = corev1.PodSpec{
		NodeName: "node-1", ServiceAccountName: "default", Tolerations: []corev1.Toleration{{Key: "a"}},
		InitContainers: []corev1.Container{{
			Name: "proxy", Image: "proxy", RestartPolicy: &always, Ports: []corev1.ContainerPort{{ContainerPort: 9000}},
		}},
		Containers: []corev1.Container{{
			Name: "main", Image: "python", Env: []corev1.EnvVar{{Name: "A", Value: "b"}},
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8888}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceEphemeralStorage: resource.MustParse("1Gi"),
			}},
		}},
		Volumes: []corev1.Volume{
			{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}},
			{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "limited", VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Gi"))},
			}},
		},
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error"}}
	pod.Status.Message, pod.Status.Reason = "of the kubelet", "Evicted"
	pod.Status.HostIPs, pod.Status.QOSClass = []corev1.HostIP{{IP: "10.0.0.9"}}, corev1.PodQOSBurstable
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "proxy", State: running}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "main", Image: "python", ImageID: "sha256:0", ContainerID: "containerd://0", State: running, Ready: true,
		LastTerminationState: ended, RestartCount: 4, Resources: &corev1.ResourceRequirements{},
	}}
	return pod
}

// readStatus is the part of a Pod's status that the reconcilers read.
func readStatus(whole *corev1.PodStatus) corev1.PodStatus {
	status := *whole.DeepCopy()
	status.HostIPs, status.QOSClass = nil, ""
	main := &status.ContainerStatuses[0]
	main.ImageID, main.ContainerID, main.Resources = "", "", nil
	return status
}

func TestTheCacheKeepsOfAPodWhatTheReconcilersRead(t *testing.T) {
	whole := wholePod()
	result, err := newSpecs().trimPod(wholePod())
	if err != nil {
		t.Fatal(err)
	}
	trimmed, ok := result.(*corev1.Pod)
	if !ok {
		t.Fatalf("%T", result)
	}
	if diff := cmp.Diff(readStatus(&whole.Status), trimmed.Status); diff != "" {
		t.Errorf("the status (-read +trimmed):\n%s", diff)
	}
	if diff := cmp.Diff(servicePorts(&whole.Spec), servicePorts(&trimmed.Spec)); diff != "" {
		t.Errorf("ports (-whole +trimmed):\n%s", diff)
	}
	if trimmed.Spec.NodeName != "node-1" {
		t.Errorf("node: %q", trimmed.Spec.NodeName)
	}
	for name, empty := range map[string]func(*corev1.PodSpec){
		"limits of a volume":    func(s *corev1.PodSpec) { s.Containers[0].Resources.Limits = nil },
		"limits of a container": func(s *corev1.PodSpec) { s.Volumes = nil },
	} {
		spec := trimmed.Spec.DeepCopy()
		if empty(spec); !hasDiskLimit(spec) {
			t.Errorf("%s are gone", name)
		}
	}
	spec := &trimmed.Spec
	if trimmed.ManagedFields != nil || spec.Tolerations != nil || len(spec.Volumes) != 1 ||
		spec.Containers[0].Env != nil || spec.Containers[0].Image != "" ||
		len(spec.Containers[0].Resources.Limits) != 1 {
		t.Errorf("kept what nobody reads: %+v", trimmed)
	}
}
