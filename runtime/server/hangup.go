// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"context"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hangupPeriod is how often the connection of a stream is looked at.
const hangupPeriod = time.Second

type connectionKey struct{}

// withConnection lets a request reach its connection.
func withConnection(ctx context.Context, connection net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// watch stops a command whose client is gone, until the context ends. net/http notices that only when it reads the
// connection, and it does not read while the command leaves its standard input unread.
func (s *server) watch(ctx context.Context, stop context.CancelCauseFunc) {
	connection, ok := ctx.Value(connectionKey{}).(syscall.Conn)
	if !ok {
		return
	}
	raw, err := connection.SyscallConn()
	if err != nil {
		return
	}
	ticker := s.clock.NewTicker(hangupPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		if hungUp(raw) {
			stop(errClosed)
			return
		}
	}
}

// hungUp reports whether the other side has closed its end, also behind bytes that are not read yet.
func hungUp(raw syscall.RawConn) bool {
	gone := false
	err := raw.Control(func(descriptor uintptr) {
		look := []unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLRDHUP}}
		count, err := unix.Poll(look, 0)
		gone = err == nil && count > 0
	})
	return err != nil || gone
}
