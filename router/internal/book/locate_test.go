// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// names answers for DNS.
type names map[string][]netip.Addr

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if ips, ok := n[host]; ok {
		return ips, nil
	}
	return nil, errors.New("no such host")
}

func TestWhereTheAPIServerSaysThatThePodIs(t *testing.T) {
	box := builders.Sandbox("box", builders.WithUID("s-box"), status("10.0.0.1"))
	later := builders.Sandbox("box", builders.WithUID("s-later"))
	owned := builders.OwnedBy(box)
	tests := map[string]struct {
		sandbox builders.SandboxOption // changes the Sandbox in the book
		pods    []runtime.Object
		want    []string // none: not running
	}{
		"the Pod of its name": {nil, []runtime.Object{builders.Pod("box", owned, builders.Ready("10.0.0.1"))},
			[]string{"10.0.0.1"}},
		"the Pod of the annotation": {
			builders.WithAnnotation("agents.x-k8s.io/pod-name", "other"),
			[]runtime.Object{builders.Pod("other", owned, builders.Ready("10.0.0.3"))}, []string{"10.0.0.3"},
		},
		"a wrong annotation is a hint only": {
			builders.WithAnnotation("agents.x-k8s.io/pod-name", "other"),
			[]runtime.Object{builders.Pod("other", builders.Ready("10.0.0.3")), builders.Pod("box", owned,
				builders.Ready("10.0.0.1"))}, []string{"10.0.0.1"},
		},
		"the book lags: the Pod has moved": {nil, []runtime.Object{builders.Pod("box", owned, builders.Ready("10.0.0.7"))},
			[]string{"10.0.0.7"}},
		"both addresses of a dual-stack Pod": {nil, []runtime.Object{builders.Pod("box", owned, builders.Ready("10.0.0.1",
			"fd00::1"))}, []string{"10.0.0.1", "fd00::1"}},
		"one that is not ready may be tried": {nil, []runtime.Object{builders.Pod("box", owned,
			builders.RunningNotReady("10.0.0.1"))}, []string{"10.0.0.1"}},
		"the book lags: the Pod is gone": {nil, nil, nil},
		"the book lags: the Pod is going": {nil, []runtime.Object{builders.Pod("box", owned, builders.Ready("10.0.0.1"),
			builders.DeletedAt(time.Unix(9, 0)))}, nil},
		"the book lags: the Pod has ended": {nil, []runtime.Object{builders.Pod("box", owned, builders.Ready("10.0.0.1"),
			phase(corev1.PodFailed))}, nil},
		"the book lags: the work is done": {nil, []runtime.Object{builders.Pod("box", owned, builders.Ready("10.0.0.1"),
			phase(corev1.PodSucceeded))}, nil},
		"the book lags: the next one's Pod": {nil, []runtime.Object{builders.Pod("box", builders.OwnedBy(later),
			builders.Ready("10.0.0.1"))}, nil},
		"somebody else's Pod of that name": {nil, []runtime.Object{builders.Pod("box", builders.OwnedByStranger(),
			builders.Ready("10.0.0.1"))}, nil},
		"a Pod that nobody owns": {nil, []runtime.Object{builders.Pod("box", builders.Ready("10.0.0.1"))}, nil},
		"one without an address": {nil, []runtime.Object{builders.Pod("box", owned)}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			is := box.DeepCopy()
			if tt.sandbox != nil {
				is = builders.Sandbox("box", builders.WithUID("s-box"), status("10.0.0.1"), tt.sandbox)
			}
			l := &Locator{Kubernetes: fake.NewClientset(tt.pods...), DNS: names{}, ClusterDomain: "cluster.local"}
			got, err := l.Locate(t.Context(), newSandbox(is))
			var want []netip.Addr
			for _, ip := range tt.want {
				want = append(want, netip.MustParseAddr(ip))
			}
			if !slices.Equal(got, want) || (len(want) == 0) != errors.Is(err, ErrNotRunning) {
				t.Errorf("located at %v, %v; want %v", got, err, want)
			}
		})
	}
}

func phase(phase corev1.PodPhase) builders.PodOption {
	return builders.PodWith(func(p *corev1.Pod) { p.Status.Phase = phase })
}

func TestWithoutAnAPIServerDNSAndTheBookHaveToAgree(t *testing.T) {
	const host = "box.default.svc.example.org."
	ip := netip.MustParseAddr
	tests := map[string]struct {
		service string
		dns     names
		want    []netip.Addr // none: unconfirmed
	}{
		"they agree":               {"box", names{host: {ip("10.0.0.1")}}, []netip.Addr{ip("10.0.0.1")}},
		"DNS may write it as IPv6": {"box", names{host: {ip("::ffff:10.0.0.1")}}, []netip.Addr{ip("10.0.0.1")}},
		"only what both say": {"box", names{host: {ip("10.0.0.8"), ip("10.0.0.1")}},
			[]netip.Addr{ip("10.0.0.1")}},
		"DNS has another address": {"box", names{host: {ip("10.0.0.8")}}, nil},
		"DNS does not answer":     {"box", names{}, nil},
		"without a Service, no name is so": {"", names{host: {ip("10.0.0.1")},
			".default.svc.example.org.": {ip("10.0.0.1")}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, errors.New("connection refused")
			})
			l := &Locator{Kubernetes: client, DNS: tt.dns, ClusterDomain: "example.org"}
			sandbox := newSandbox(builders.Sandbox("box", builders.WithUID("s-box"), status("10.0.0.1", "10.0.0.2")))
			sandbox.Service = tt.service
			got, err := l.Locate(t.Context(), sandbox)
			if !slices.Equal(got, tt.want) || (len(tt.want) == 0) != errors.Is(err, ErrUnconfirmed) {
				t.Errorf("located at %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}
