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

// watchConfig returns a copy of the configuration whose clients share no connection with others: the library keeps one connection
// for all configurations that are alike, and a dialer makes this one different.
func watchConfig(restConfig *rest.Config) *rest.Config {
	own := rest.CopyConfig(restConfig)
	if own.Dial == nil {
		own.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return own
}

// newCache makes the cache on a connection of its own.
func newCache(restConfig *rest.Config, options cache.Options) (cache.Cache, error) {
	own := watchConfig(restConfig)
	httpClient, err := rest.HTTPClientFor(own)
	if err != nil {
		return nil, fmt.Errorf("connection for watches: %w", err)
	}
	options.HTTPClient = httpClient
	return cache.New(own, options)
}

// cacheNamespaces limits the cache; nil is all of the cluster.
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
