// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"
)

// settle is how long the processes that a program left behind may keep its outputs open before the answer is given
// without what they write from then on.
const settle = time.Second

// signalled is added to the number of the signal that ended a program, as shells do.
const signalled = 128

// Command is one program to run.
type Command struct {
	// Args are the program and its arguments; there is at least one.
	Args []string
	// Stdin is copied to the standard input of the program and read to its end; nil is an empty input. Run may still be
	// reading it when it returns.
	Stdin io.Reader
	// Stdout and Stderr are written from one goroutine each. A program waits while they do, and after their first error
	// the rest of the output is discarded.
	Stdout, Stderr io.Writer
}

// Result says how a program ended.
type Result struct {
	// ExitCode is that of the program, or 128 and the number of the signal that ended it.
	ExitCode int
	// Stopped is the cause of the context if that ended before the program, else nil.
	Stopped error
}

// Runner runs programs in one directory. Any number of goroutines may use it.
type Runner struct {
	directory string
	killAfter time.Duration
	clock     clock.Clock
}

// NewRunner returns a runner for programs in a directory. It kills what has not ended within killAfter after SIGTERM.
func NewRunner(directory string, killAfter time.Duration, clk clock.Clock) *Runner {
	return &Runner{directory: directory, killAfter: killAfter, clock: clk}
}

// Run runs a program in a process group of its own and returns when it has ended and its outputs are delivered. When
// the context ends, it sends SIGTERM and later SIGKILL to the group; a context that has ended starts nothing. The error
// says why the program did not start.
func (r *Runner) Run(ctx context.Context, command Command) (Result, error) {
	select {
	case <-ctx.Done():
		return Result{Stopped: context.Cause(ctx)}, nil
	default:
	}
	program := exec.Command(command.Args[0], command.Args[1:]...)
	program.Dir = r.directory
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	outputs, err := start(program, command)
	if err != nil {
		return Result{}, err
	}
	group := program.Process.Pid
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		awaitExit(group)
		outputs.expire(r.clock.Now().Add(settle))
		outputs.wait()
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
	stopped := context.Cause(ctx)
	if stopped != nil {
		r.stop(group, finished)
	}
	var exit *exec.ExitError
	if err := program.Wait(); err != nil && !errors.As(err, &exit) {
		return Result{}, fmt.Errorf("wait for the program: %w", err)
	}
	return Result{ExitCode: exitCode(program), Stopped: stopped}, nil
}

// stop ends a process group whose leader is not reaped yet. The second signal is for what ignores the first, and for
// what the leader left behind.
func (r *Runner) stop(group int, finished <-chan struct{}) {
	_ = unix.Kill(-group, unix.SIGTERM)
	timer := r.clock.NewTimer(r.killAfter)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C():
	}
	_ = unix.Kill(-group, unix.SIGKILL)
	<-finished
}

// start starts the program with its streams connected.
func start(program *exec.Cmd, command Command) (outputs, error) {
	outputs, err := connect(program, command)
	if err != nil {
		return nil, err
	}
	var stdin io.WriteCloser
	if command.Stdin != nil {
		if stdin, err = program.StdinPipe(); err != nil {
			outputs.close()
			return nil, err
		}
	}
	if err := program.Start(); err != nil {
		outputs.close()
		return nil, err
	}
	outputs.carry()
	if stdin != nil {
		go func() {
			_, _ = io.Copy(stdin, command.Stdin)
			_ = stdin.Close()
			_, _ = io.Copy(io.Discard, command.Stdin) // a program need not read its input, and its sender must not wait
		}()
	}
	return outputs, nil
}

// awaitExit waits until a child has ended, and leaves it to be reaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func exitCode(program *exec.Cmd) int {
	status, ok := program.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return program.ProcessState.ExitCode()
}
