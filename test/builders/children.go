// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package builders

import corev1 "k8s.io/api/core/v1"

// VolumeOption changes a PersistentVolumeClaim.
type VolumeOption interface {
	volume(*corev1.PersistentVolumeClaim)
}

type volumeOption func(*corev1.PersistentVolumeClaim)

func (o volumeOption) volume(p *corev1.PersistentVolumeClaim) { o(p) }

// PersistentVolumeClaim asks for so much space, and is not bound yet.
func PersistentVolumeClaim(name, size string, options ...VolumeOption) *corev1.PersistentVolumeClaim {
	p := &corev1.PersistentVolumeClaim{
		ObjectMeta: metadata(name), Spec: volumeSpec(size), Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	for _, option := range options {
		option.volume(p)
	}
	return p
}

// Bound has the claim have its volume.
func Bound(volume string) VolumeOption {
	return volumeOption(func(p *corev1.PersistentVolumeClaim) {
		p.Spec.VolumeName, p.Status.Phase = volume, corev1.ClaimBound
	})
}

// ServiceOption changes a Service.
type ServiceOption interface{ service(*corev1.Service) }

type serviceOption func(*corev1.Service)

func (o serviceOption) service(s *corev1.Service) { o(s) }

// Service is headless and selects nothing.
func Service(name string, options ...ServiceOption) *corev1.Service {
	s := &corev1.Service{ObjectMeta: metadata(name), Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}}
	for _, option := range options {
		option.service(s)
	}
	return s
}

// WithClusterIP gives the Service an address of its own.
func WithClusterIP(ip string) ServiceOption {
	return serviceOption(func(s *corev1.Service) { s.Spec.ClusterIP = ip })
}

// Selecting has the Service select Pods by a label.
func Selecting(key, value string) ServiceOption {
	return serviceOption(func(s *corev1.Service) { s.Spec.Selector = with(s.Spec.Selector, key, value) })
}

// WithPort adds a TCP port.
func WithPort(name string, port int32) ServiceOption {
	return serviceOption(func(s *corev1.Service) {
		s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Name: name, Port: port, Protocol: corev1.ProtocolTCP})
	})
}
