// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package file reads secrets from files that may change, as the volume of a Secret does.
package file

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// interval is the time between two looks at a file.
const interval = 10 * time.Second

// Secret is the content of a file without the white space around it. It is safe for concurrent use.
type Secret struct {
	path    string
	atLeast int
	content atomic.Pointer[[]byte]
}

// Read reads the file, which must have a number of bytes.
func Read(path string, atLeast int) (*Secret, error) {
	s := &Secret{path: path, atLeast: atLeast}
	return s, s.reload()
}

// Bytes returns the content. A nil Secret has none.
func (s *Secret) Bytes() []byte {
	if s == nil {
		return nil
	}
	return *s.content.Load()
}

func (s *Secret) reload() error {
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("read a secret: %w", err)
	}
	if raw = bytes.TrimSpace(raw); len(raw) < s.atLeast {
		return fmt.Errorf("read a secret: %s has %d bytes: want at least %d", s.path, len(raw), s.atLeast)
	}
	s.content.Store(&raw)
	return nil
}

// Follow reads the files again and again until the context ends. A file that cannot be read keeps its last content.
func Follow(ctx context.Context, clk clock.WithTicker, log logr.Logger, secrets ...*Secret) {
	ticker := clk.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		for _, secret := range secrets {
			if secret == nil {
				continue
			}
			if err := secret.reload(); err != nil {
				log.Error(err, "keep the last content of a secret")
			}
		}
	}
}
