// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"net"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// watchConfig returns a copy of the configuration whose clients have a connection of their own. client-go shares one
// transport between equal configurations, and the dialer makes this one different. Since Kubernetes 1.37 the API server
// compresses each event of a watch by itself, which costs it more CPU time than the bytes are worth in a cluster.
func watchConfig(restConfig *rest.Config) *rest.Config {
	c := rest.CopyConfig(restConfig)
	c.DisableCompression = true
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return c
}

// newCache returns a cache with a connection of its own.
func newCache(restConfig *rest.Config, options cache.Options) (cache.Cache, error) {
	c := watchConfig(restConfig)
	httpClient, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("create the client for watches: %w", err)
	}
	options.HTTPClient = httpClient
	return cache.New(c, options)
}

// cacheNamespaces returns the namespaces of the cache; nil means the whole cluster.
func (c Config) cacheNamespaces() map[string]cache.Config {
	if len(c.WatchNamespaces) == 0 {
		return nil
	}
	all := map[string]cache.Config{}
	for _, namespace := range c.WatchNamespaces {
		all[namespace] = cache.Config{}
	}
	return all
}
