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

// PersistentVolumeClaim returns an unbound claim that requests the given size.
func PersistentVolumeClaim(name, size string, options ...VolumeOption) *corev1.PersistentVolumeClaim {
	p := &corev1.PersistentVolumeClaim{
		ObjectMeta: metadata(name), Spec: volumeSpec(size),
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	for _, option := range options {
		option.volume(p)
	}
	return p
}

// Bound binds the claim to the named volume.
func Bound(volume string) VolumeOption {
	return volumeOption(func(p *corev1.PersistentVolumeClaim) {
		p.Spec.VolumeName, p.Status.Phase = volume, corev1.ClaimBound
	})
}

// ServiceOption changes a Service.
type ServiceOption interface{ service(*corev1.Service) }

type serviceOption func(*corev1.Service)

func (o serviceOption) service(s *corev1.Service) { o(s) }

// Service returns a headless Service without a selector.
func Service(name string, options ...ServiceOption) *corev1.Service {
	s := &corev1.Service{ObjectMeta: metadata(name), Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}}
	for _, option := range options {
		option.service(s)
	}
	return s
}

// Selecting adds a label to the Service's selector.
func Selecting(key, value string) ServiceOption {
	return serviceOption(func(s *corev1.Service) { s.Spec.Selector = with(s.Spec.Selector, key, value) })
}

// WithPort adds a TCP port.
func WithPort(name string, port int32) ServiceOption {
	return serviceOption(func(s *corev1.Service) {
		s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Name: name, Port: port, Protocol: corev1.ProtocolTCP})
	})
}
