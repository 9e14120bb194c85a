// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
)

// Each builder serves both creation and repair. Given the existing object, or nil, it returns a copy in which the keys
// that the operator owns are set and everything else is unchanged.

// buildPod returns the Pod, and the metadata keys of the Pod template that were dropped. It does not change the spec of
// an existing Pod: a changed template takes effect at the next start.
func buildPod(sandbox *agentsv1beta1.Sandbox, was *corev1.Pod) (want *corev1.Pod, dropped []string) {
	if was != nil {
		want = was.DeepCopy()
	} else {
		want = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: sandbox.Namespace, Name: sandbox.Name}}
		sandbox.Spec.PodTemplate.Spec.DeepCopyInto(&want.Spec)
		want.Spec.Volumes = mergeVolumes(want.Spec.Volumes, sandbox)
	}
	adopt(want, sandbox)
	return want, setPodMetadata(want, sandbox)
}

// mergeVolumes adds the volumes of the volumeClaimTemplates. They replace volumes of the same name in the Pod template.
func mergeVolumes(volumes []corev1.Volume, sandbox *agentsv1beta1.Sandbox) []corev1.Volume {
	for i := range sandbox.Spec.VolumeClaimTemplates {
		name := sandbox.Spec.VolumeClaimTemplates[i].Name
		volume := corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
				ClaimName: naming.PersistentVolumeClaim(name, sandbox.Name),
			},
		}}
		replaced := false
		for j := range volumes {
			if volumes[j].Name == name {
				volumes[j], replaced = volume, true
			}
		}
		if !replaced {
			volumes = append(volumes, volume)
		}
	}
	return volumes
}

// buildService returns the headless Service. It selects by name hash and UID, so that two names with the same hash
// never share traffic. Its ports are the Pod's: service meshes and SRV records need them.
func buildService(sandbox *agentsv1beta1.Sandbox, was *corev1.Service, pod *corev1.Pod) *corev1.Service {
	var want *corev1.Service
	if was != nil {
		want = was.DeepCopy()
	} else {
		want = &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: sandbox.Namespace, Name: sandbox.Name}}
		want.Spec.ClusterIP = corev1.ClusterIPNone
	}
	adopt(want, sandbox)
	metadata.Set(&want.Labels, apis.LabelSandboxNameHash, naming.Hash(sandbox.Name))
	want.Spec.Selector = map[string]string{
		apis.LabelSandboxNameHash: naming.Hash(sandbox.Name),
		apis.LabelSandboxUID:      string(sandbox.UID),
	}
	spec := &sandbox.Spec.PodTemplate.Spec
	if pod != nil {
		spec = &pod.Spec
	}
	want.Spec.Ports = servicePorts(spec)
	return want
}

// servicePorts returns the ports of the containers and of restartable init containers, each protocol and number once.
func servicePorts(spec *corev1.PodSpec) []corev1.ServicePort {
	var ports []corev1.ServicePort
	taken := map[string]bool{}
	add := func(c *corev1.Container) {
		for _, port := range c.Ports {
			protocol := port.Protocol
			if protocol == "" {
				protocol = corev1.ProtocolTCP
			}
			number := fmt.Sprintf("%s-%d", strings.ToLower(string(protocol)), port.ContainerPort)
			name := port.Name
			if taken["#"+number] {
				continue
			}
			if name == "" || taken[name] {
				name = number
			}
			for taken[name] { // another port has this name
				name += "-x"
			}
			taken["#"+number], taken[name] = true, true
			ports = append(ports, corev1.ServicePort{
				Name: name, Protocol: protocol, Port: port.ContainerPort, TargetPort: intstr.FromInt32(port.ContainerPort),
			})
		}
	}
	for i := range spec.InitContainers {
		if p := spec.InitContainers[i].RestartPolicy; p != nil && *p == corev1.ContainerRestartPolicyAlways {
			add(&spec.InitContainers[i])
		}
	}
	for i := range spec.Containers {
		add(&spec.Containers[i])
	}
	return ports
}

func copyUnreserved(into, from map[string]string) {
	maps.Copy(into, from)
	maps.DeleteFunc(into, func(key, _ string) bool { return apis.ReservedKey(key) })
}
