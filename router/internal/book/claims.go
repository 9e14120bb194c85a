// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// claimsInterval is the time between two questions whether the API server serves claims by now.
const claimsInterval = 5 * time.Second

// claims knows whether the API server serves claims: a cluster may have Sandboxes alone, and may get claims while the
// router runs.
type claims struct {
	discovery discovery.DiscoveryInterface

	known   atomic.Bool // the API server has answered
	atFirst atomic.Bool // its first answer was yes
	now     atomic.Bool // so was its last one
}

// await returns true as soon as claims are served, and false when the context ends.
func (c *claims) await(ctx context.Context, clk clock.WithTicker, log logr.Logger) bool {
	ticker := clk.NewTicker(claimsInterval)
	defer ticker.Stop()
	for {
		_, err := c.discovery.ServerResourcesForGroupVersion(extensionsv1beta1.SchemeGroupVersion.String())
		switch {
		case err == nil:
			c.atFirst.Store(!c.known.Load())
			c.now.Store(true)
			c.known.Store(true)
			return true
		case apierrors.IsNotFound(err):
			c.known.Store(true)
		default:
			log.Error(err, "ask whether the cluster serves claims")
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C():
		}
	}
}

// needed reports whether a full book has claims, and whether that is known.
func (c *claims) needed() (needed, known bool) {
	known = c.known.Load()
	return c.atFirst.Load(), known
}
