// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// pollGateway is how often a Gateway without an address is read.
const pollGateway = time.Second

// Gateway is the Strategy for a Gateway (gateway.networking.k8s.io/v1) whose routes lead to the router. It waits until
// the Gateway has an address.
type Gateway struct {
	// Namespace of the Gateway; default if empty.
	Namespace string
	Name      string
	// Scheme is http or https. If it is empty, a listener for HTTPS is preferred.
	Scheme string
}

// gateway is what is needed of the object.
type gateway struct {
	Spec struct {
		Listeners []listener `json:"listeners"`
	} `json:"spec"`
	Status struct {
		Addresses []struct {
			Value string `json:"value"`
		} `json:"addresses"`
	} `json:"status"`
}

type listener struct {
	Hostname string `json:"hostname"`
	Port     int    `json:"port"`
	Protocol string `json:"protocol"`
}

// Validate returns an error if it names no Gateway, or an unknown scheme.
func (g Gateway) Validate() error {
	if g.Name == "" {
		return errors.New("the Gateway has no name")
	}
	return checkScheme(g.Scheme)
}

// Connect implements Strategy.
func (g Gateway) Connect(ctx context.Context, cluster Cluster) (Endpoint, error) {
	for {
		found, err := g.read(ctx, cluster)
		if err != nil {
			return Endpoint{}, err
		}
		if len(found.Status.Addresses) > 0 {
			return g.endpoint(found)
		}
		timer := cluster.Clock.NewTimer(pollGateway)
		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()
			return Endpoint{}, fmt.Errorf("%w: %s has no address yet: %w", ErrNoRouter, g, context.Cause(ctx))
		}
	}
}

// String returns how messages name the Gateway.
func (g Gateway) String() string { return "Gateway " + g.namespace() + "/" + g.Name }

func (g Gateway) namespace() string { return cmp.Or(g.Namespace, metav1.NamespaceDefault) }

func (g Gateway) read(ctx context.Context, cluster Cluster) (*gateway, error) {
	api := cluster.Kubernetes.Discovery().RESTClient()
	raw, err := api.Get().AbsPath("apis", "gateway.networking.k8s.io", "v1", "namespaces", g.namespace(), "gateways",
		g.Name).Do(ctx).Raw()
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%w: %s does not exist: %w", ErrNoRouter, g, err)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", g, err)
	}
	found := &gateway{}
	if err := json.Unmarshal(raw, found); err != nil {
		return nil, fmt.Errorf("read %s: %w", g, err)
	}
	return found, nil
}

// endpoint returns where requests go: to the first address, and to a host that the listener admits.
func (g Gateway) endpoint(found *gateway) (Endpoint, error) {
	address, err := checkAddress(found.Status.Addresses[0].Value)
	if err != nil {
		return Endpoint{}, fmt.Errorf("%s: %w", g, err)
	}
	scheme, chosen, ok := g.listener(found.Spec.Listeners)
	if !ok {
		return Endpoint{}, fmt.Errorf("%w: %s has no listener for %s", ErrNoRouter, g, cmp.Or(g.Scheme, "HTTPS or HTTP"))
	}
	host := address
	if chosen.Hostname != "" && !strings.HasPrefix(chosen.Hostname, "*") {
		if host, err = checkAddress(chosen.Hostname); err != nil {
			return Endpoint{}, fmt.Errorf("%s: %w", g, err)
		}
	}
	port := strconv.Itoa(chosen.Port)
	to := net.JoinHostPort(address, port)
	return Endpoint{
		URL: &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)},
		Dial: func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to)
		},
	}, nil
}

// listener returns the listener to use and its scheme.
func (g Gateway) listener(all []listener) (scheme string, chosen listener, ok bool) {
	schemes := []string{schemeHTTPS, schemeHTTP}
	if g.Scheme != "" {
		schemes = []string{g.Scheme}
	}
	for _, scheme := range schemes {
		for _, one := range all {
			if strings.EqualFold(one.Protocol, scheme) && one.Port > 0 && one.Port <= maxPort {
				return scheme, one, true
			}
		}
	}
	return "", listener{}, false
}

const maxPort = 65535

// checkAddress returns an IP address or a host name, and an error for everything else: the rest of a URL, for instance,
// would lead requests elsewhere.
func checkAddress(value string) (string, error) {
	if ip, err := netip.ParseAddr(value); err == nil && ip.Zone() == "" {
		return ip.String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(value, "."))
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return "", errors.New("its address " + strconv.Quote(value) + " is neither an IP address nor a host name")
	}
	return name, nil
}
