// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// output is one of the streams that a program writes.
type output struct {
	read, write *os.File
	to          io.Writer
	// delivered is closed when everything that belongs to the answer has been written.
	delivered chan struct{}
}

type outputs []*output

// connect gives the program pipes for its outputs. Package exec would wait until every process that has inherited them
// ends.
func connect(program *exec.Cmd, command Command) (outputs, error) {
	var all outputs
	for _, to := range []io.Writer{command.Stdout, command.Stderr} {
		read, write, err := os.Pipe()
		if err != nil {
			all.close()
			return nil, err
		}
		all = append(all, &output{read: read, write: write, to: to, delivered: make(chan struct{})})
	}
	program.Stdout, program.Stderr = all[0].write, all[1].write
	return all, nil
}

// close closes the pipes of a program that did not start.
func (all outputs) close() {
	for _, one := range all {
		_ = one.read.Close()
		_ = one.write.Close()
	}
}

// carry starts to deliver. Nobody writes to the pipes then but the program and its descendants.
func (all outputs) carry() {
	for _, one := range all {
		_ = one.write.Close()
		go one.deliver()
	}
}

// expire sets the time at which an output is delivered even if a process still has it open.
func (all outputs) expire(at time.Time) {
	for _, one := range all {
		_ = one.read.SetReadDeadline(at)
	}
}

func (all outputs) wait() {
	for _, one := range all {
		<-one.delivered
	}
}

// deliver copies the output to its writer. After that it discards what background processes still write: a closed pipe
// would end them.
func (o *output) deliver() {
	defer func() { _ = o.read.Close() }()
	_, err := io.Copy(o.to, o.read)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// What the program wrote is in the pipe, if a slow writer has delayed it.
		_ = o.read.SetReadDeadline(time.Time{})
		_, _ = io.CopyN(o.to, o.read, pending(o.read))
	}
	close(o.delivered)
	for {
		if _, err := io.Copy(io.Discard, o.read); !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		_ = o.read.SetReadDeadline(time.Time{})
	}
}

// pending returns how many bytes a pipe holds.
func pending(pipe *os.File) int64 {
	var count uint32
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	if raw.Control(func(descriptor uintptr) {
		count, err = unix.IoctlGetUint32(int(descriptor), unix.TIOCINQ)
	}) != nil || err != nil {
		return 0
	}
	return int64(count)
}
