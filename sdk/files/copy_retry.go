// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// withRetries copies, and continues after lost connections for as long as Options.Retry allows.
func (c *Copier) withRetries(ctx context.Context, attempt func() error) error {
	var lost error
	for {
		done, total := c.progress.Done(), c.progress.Total()
		c.partial = ""
		err := attempt()
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case isConnectionLost(err):
			lost = err
		case lost != nil && unreachable(err):
			err = fmt.Errorf("%w; after that: %w", lost, err)
		default:
			return err
		}
		if c.retry == nil || c.irreversible || !c.retry(ctx, err, c.progress.Done()-done) {
			return err
		}
		c.progress.set(done, total)
		c.resume = true
	}
}

func isConnectionLost(err error) bool {
	_, lost := errors.AsType[*stream.LostError](err)
	return lost
}

// unreachable reports whether a session could not be opened because there was no connection.
func unreachable(err error) bool {
	if upgrade, ok := errors.AsType[*httpstream.UpgradeFailureError](err); ok && upgrade.Cause != nil {
		err = upgrade.Cause
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
