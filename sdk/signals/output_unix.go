// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package signals

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// OutputClosed reports whether a file is a pipe or socket that nobody reads any more. It writes nothing to find out.
func OutputClosed(file *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(file.Fd())}} // file descriptors are small
	n, err := unix.Poll(poll, 0)
	return err == nil && n == 1 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
