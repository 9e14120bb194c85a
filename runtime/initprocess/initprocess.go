// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package initprocess is what process 1 of a container has to do: it starts the program again as its child, passes
// signals on to it, and reaps every process that loses its parent.
//
// The server is a process of its own because a reaper takes the exit codes of all children, also those that the server
// waits for.
package initprocess

import (
	"errors"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// signalled is added to the number of the signal that ended the child, as shells do.
const signalled = 128

// Run starts a program with the files and the environment of this process and returns its exit code, or 128 and the
// number of the signal that ended it. Nothing else in this process may wait for a child.
func Run(program string, arguments []string) (int, error) {
	// A channel that is full loses signals. This one may: the signal that it holds stands for all.
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	signals := make(chan os.Signal, 64)
	signal.Notify(signals)
	defer signal.Stop(signals)
	child, err := os.StartProcess(program, arguments, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", program, err)
	}
	pid := child.Pid
	_ = child.Release() // reap waits for it
	for {
		select {
		case <-ended:
			if code, done, err := reap(pid); done || err != nil {
				return code, err
			}
		case received := <-signals:
			pass(received, pid)
		}
	}
}

// pass sends a signal on to the child, except those that are about this process: the Go runtime sends SIGURG to itself,
// and SIGPIPE is about a file of its own.
func pass(received os.Signal, child int) {
	number, ok := received.(unix.Signal)
	if ok && number != unix.SIGCHLD && number != unix.SIGURG && number != unix.SIGPIPE {
		_ = unix.Kill(child, number)
	}
}

// reap reaps every process that has ended, and reports whether the child is one of them. One SIGCHLD may stand for
// many.
func reap(child int) (code int, done bool, err error) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, false, fmt.Errorf("wait for processes: %w", err)
		case pid == 0:
			return 0, false, nil
		case pid == child && status.Signaled():
			return signalled + int(status.Signal()), true, nil
		case pid == child:
			return status.ExitStatus(), true, nil
		}
	}
}
