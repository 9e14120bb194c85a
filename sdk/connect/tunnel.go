// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// Tunnel is the Strategy for a program outside of the cluster that can reach only the API server: a port-forward to a
// Pod of the router. It needs the permissions to list EndpointSlices and to create pods/portforward in the namespace of
// the router. Each connection goes to a ready Pod, so a tunnel survives an update of the router.
type Tunnel struct {
	// Namespace of the router's Service; that of the operator if empty.
	Namespace string
	// Scheme is https for a router with a certificate, otherwise http, which is the default: the connection to the API
	// server is encrypted.
	Scheme string
}

// Validate returns an error for an unknown scheme.
func (t Tunnel) Validate() error { return checkScheme(t.Scheme) }

// Connect implements Strategy.
func (t Tunnel) Connect(ctx context.Context, cluster Cluster) (Endpoint, error) {
	if _, err := t.pods(ctx, cluster); err != nil {
		return Endpoint{}, err
	}
	return Endpoint{
		URL: &url.URL{
			Scheme: cmp.Or(t.Scheme, schemeHTTP),
			Host:   net.JoinHostPort(apis.ServiceRouter+"."+t.namespace()+".svc", strconv.Itoa(apis.ServiceRouterPort)),
		},
		Dial: func(ctx context.Context) (net.Conn, error) { return t.dial(ctx, cluster) },
	}, nil
}

func (t Tunnel) namespace() string { return cmp.Or(t.Namespace, apis.OperatorNamespace) }

// dial connects to one of the Pods: one that has just been deleted may still be called ready.
func (t Tunnel) dial(ctx context.Context, cluster Cluster) (net.Conn, error) {
	pods, err := t.pods(ctx, cluster)
	for _, to := range pods {
		var conn net.Conn
		conn, err = tunnel.DialPort(ctx, func(ctx context.Context) (httpstream.Connection, error) {
			return cluster.Network.Forward(ctx, t.namespace(), to.name)
		}, to.port)
		if err == nil {
			return conn, nil
		}
		err = fmt.Errorf("connect to Pod %s of the router: %w", to.name, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// pod is a Pod of the router and the port that it listens on.
type pod struct {
	name string
	port uint16
}

// pods returns the ready Pods in random order, so that clients use all of them. There is at least one.
func (t Tunnel) pods(ctx context.Context, cluster Cluster) ([]pod, error) {
	slices, err := cluster.Kubernetes.DiscoveryV1().EndpointSlices(t.namespace()).List(ctx, metav1.ListOptions{
		LabelSelector: discoveryv1.LabelServiceName + "=" + apis.ServiceRouter,
	})
	if err != nil {
		return nil, fmt.Errorf("find the Pods of Service %s in namespace %s: %w", apis.ServiceRouter, t.namespace(), err)
	}
	var ready []pod
	for i := range slices.Items {
		port, err := portOf(&slices.Items[i])
		if err != nil {
			continue
		}
		for _, endpoint := range slices.Items[i].Endpoints {
			if target := endpoint.TargetRef; target != nil && target.Kind == "Pod" &&
				(endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready) {
				ready = append(ready, pod{target.Name, port})
			}
		}
	}
	if len(ready) == 0 {
		return nil, fmt.Errorf("%w: Service %s in namespace %s has no ready Pod", ErrNoRouter, apis.ServiceRouter,
			t.namespace())
	}
	rand.Shuffle(len(ready), func(i, j int) { ready[i], ready[j] = ready[j], ready[i] })
	return ready, nil
}

// portOf returns the port of the Pods in a slice: the only one, or the one named http.
func portOf(slice *discoveryv1.EndpointSlice) (uint16, error) {
	for _, port := range slice.Ports {
		if port.Port == nil || port.Protocol != nil && *port.Protocol != corev1.ProtocolTCP ||
			len(slice.Ports) > 1 && (port.Name == nil || *port.Name != schemeHTTP) {
			continue
		}
		return uint16(*port.Port), nil // the API server admits no port above 65535
	}
	return 0, errors.New("no port")
}
