// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// tailLines is the number of earlier lines that are read when a log is opened.
const tailLines = 500

// log is the output of a follower of a sandbox's logs. Close ends the follower too.
type log struct {
	*io.PipeReader
	stop context.CancelFunc
}

// Close implements io.Closer.
func (l *log) Close() error {
	l.stop()
	return l.PipeReader.Close()
}

// logs returns the log of the target's container, and the name of the container.
func (d *Dispatcher) logs(ctx context.Context, r Request) (from io.ReadCloser, container string, err error) {
	t := r.Targets[0]
	found, err := d.resolver.Objects(ctx, t.Namespace, t.Ref())
	if err == nil {
		err = checkUID(found, t)
	}
	if err != nil {
		return nil, "", err
	}
	if found.Pod == nil {
		return nil, "", resolve.CheckRunning(found, d.o.Clock.Now())
	}
	container, err = resolve.Container(found.Pod, r.Container)
	if err != nil {
		return nil, "", err
	}
	options := &corev1.PodLogOptions{Container: container, Timestamps: true, TailLines: new(int64(tailLines))}
	if !r.Previous {
		return d.followLogs(ctx, found, options), container, nil
	}
	options.Previous = true
	from, err = d.o.Kubernetes.CoreV1().Pods(found.Pod.Namespace).GetLogs(found.Pod.Name, options).Stream(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("log of the previous run: %w", err)
	}
	return from, container, nil
}

// followLogs follows the logs from Pod to Pod, until the context ends or the log is closed.
func (d *Dispatcher) followLogs(
	ctx context.Context, found *resolve.Target, options *corev1.PodLogOptions,
) io.ReadCloser {
	ctx, stop := context.WithCancel(ctx)
	from, to := io.Pipe()
	sandbox, watched := follow.New(d.resolver, d.waiter, d.o.Clock, found), make(chan struct{})
	d.o.Go(func() {
		defer close(watched)
		_ = sandbox.Run(ctx, func(state follow.State) { // the state has the same error
			if remark := state.WaitingText(); remark != "" {
				_, _ = fmt.Fprintf(to, "(%s)\n", remark) // fails only when the log is closed
			}
		})
	})
	d.o.Go(func() {
		err := sandbox.Logs(ctx, d.o.Kubernetes, options, to)
		stop()
		<-watched
		_ = to.CloseWithError(err) // always nil, by its documentation
	})
	return &log{from, stop}
}
