// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/question"
)

// ErrNotRunning means that the Sandbox has no Pod that can take a connection.
var ErrNotRunning = errors.New("the sandbox has no running Pod")

// ErrUnconfirmed means that nobody could say which addresses are the Sandbox's.
var ErrUnconfirmed = errors.New("the address of the sandbox cannot be confirmed")

// Resolver is the part of net.Resolver that finds addresses.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Locator says where the Pod of a Sandbox is. It is safe for concurrent use.
type Locator struct {
	Kubernetes    kubernetes.Interface
	DNS           Resolver
	ClusterDomain string

	flights singleflight.Group
}

// Locate returns the addresses that the Pod has now, never none. All that ask at the same time get one answer, and no
// answer is kept: an address is somebody else's as soon as the Pod is gone. The error wraps ErrNotRunning or
// ErrUnconfirmed.
func (l *Locator) Locate(ctx context.Context, sandbox *Sandbox) ([]netip.Addr, error) {
	return question.Share(ctx, &l.flights, string(sandbox.UID), func(ctx context.Context) ([]netip.Addr, error) {
		addresses, err := l.ofPod(ctx, sandbox)
		if err == nil || errors.Is(err, ErrNotRunning) {
			return addresses, err
		}
		addresses, dnsErr := l.ofService(ctx, sandbox)
		if dnsErr != nil {
			return nil, fmt.Errorf("%w: %w; %w", ErrUnconfirmed, err, dnsErr)
		}
		return addresses, nil
	})
}

func (l *Locator) ofPod(ctx context.Context, sandbox *Sandbox) ([]netip.Addr, error) {
	names := []string{sandbox.PodName}
	if sandbox.PodName != sandbox.Name {
		names = append(names, sandbox.Name) // the annotation with the name is a hint
	}
	for _, name := range names {
		pod, err := l.Kubernetes.CoreV1().Pods(sandbox.Namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the Pod: %w", err)
		}
		if addresses := addressesOf(pod, sandbox.UID); len(addresses) > 0 {
			return addresses, nil
		}
	}
	return nil, ErrNotRunning
}

// addressesOf returns the addresses of a Pod that the Sandbox controls and that keeps them for now.
func addressesOf(pod *corev1.Pod, sandbox types.UID) []netip.Addr {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || owner.UID != sandbox || pod.DeletionTimestamp != nil ||
		pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return nil
	}
	texts := make([]string, 0, len(pod.Status.PodIPs))
	for _, ip := range pod.Status.PodIPs {
		texts = append(texts, ip.IP)
	}
	return parseAddresses(texts)
}

// ofService returns the addresses that DNS has for the Sandbox's Service and that the book has, too. The Service
// selects by the UID of the Sandbox.
func (l *Locator) ofService(ctx context.Context, sandbox *Sandbox) ([]netip.Addr, error) {
	if sandbox.Service == "" {
		return nil, errors.New("it has no Service to look up")
	}
	host := naming.ServiceFQDN(sandbox.Service, sandbox.Namespace, l.ClusterDomain) + "."
	found, err := l.DNS.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("look up its Service: %w", err)
	}
	var agreed []netip.Addr
	for _, ip := range found {
		if slices.Contains(sandbox.Addresses, ip.Unmap()) {
			agreed = append(agreed, ip.Unmap())
		}
	}
	if len(agreed) == 0 {
		return nil, errors.New("its Service has other addresses")
	}
	return agreed, nil
}
