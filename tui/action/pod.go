// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"context"
	"errors"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Pod is what the Pod of a sandbox has, or will have.
type Pod struct {
	// Containers are the names of all containers; Default is the one that is used unless another is chosen.
	Containers []string
	Default    string
	// Ports are the TCP ports that the containers declare.
	Ports []Port
}

// Port is a port that a container declares. Its name may be empty.
type Port struct {
	Number          int32
	Name, Container string
}

// String formats the port for people.
func (p Port) String() string {
	text := strconv.Itoa(int(p.Number))
	if p.Name != "" {
		return text + " (" + p.Name + ")"
	}
	return text
}

// readPod reads the Pod or, while there is none, what the Sandbox says about it.
func (d *Dispatcher) readPod(ctx context.Context, t Target) (*Pod, error) {
	found, err := d.resolver.ReadableObjects(ctx, t.Namespace, t.Ref())
	if err == nil {
		err = checkUID(found, t)
	}
	if err != nil {
		return nil, err
	}
	pod := found.Pod
	if pod == nil {
		if found.Sandbox == nil {
			return nil, errors.New(t.Ref().String() + " has no Sandbox yet")
		}
		template := &found.Sandbox.Spec.PodTemplate
		pod = &corev1.Pod{Spec: template.Spec}
		pod.Name, pod.Annotations = found.Sandbox.Name, template.ObjectMeta.Annotations
	}
	read := &Pod{Containers: resolve.Containers(pod)}
	if read.Default, err = resolve.Container(pod, ""); err != nil {
		return nil, err
	}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		for _, port := range container.Ports {
			if port.Protocol == "" || port.Protocol == corev1.ProtocolTCP {
				read.Ports = append(read.Ports, Port{Number: port.ContainerPort, Name: port.Name, Container: container.Name})
			}
		}
	}
	return read, nil
}
