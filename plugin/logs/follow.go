// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// again is how long we wait before we ask once more for the logs of a container.
const again = time.Second

// follower goes from Pod to Pod.
type follower struct {
	options    *Options
	kubernetes kubernetes.Interface
	clock      clock.Clock
	streams    genericiooptions.IOStreams
	container  string
	lines      *lines
	pod        types.UID // whose logs the lines are
}

// follow writes the logs of the Pod that is there and of those that take its place.
func (o *Options) follow(
	ctx context.Context, f factory.Factory, a *access.Access, t *resolve.Target, container string, streams genericiooptions.IOStreams,
) error {
	l := &follower{
		options: o, kubernetes: a.Kubernetes, clock: f.Clock(), streams: streams, container: container,
		lines: &lines{out: streams.Out, keepTimes: o.Timestamps}, pod: t.Pod.UID,
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sandbox := follow.New(a.Resolver, a.Waiter, f.Clock(), t)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		_ = sandbox.Run(ctx, l.tell) // the state says the same
	}()
	err := l.all(ctx, sandbox, t)
	cancel()
	<-watched
	return err
}

// tell says why no more lines come for now.
func (l *follower) tell(state follow.State) {
	if state.Err != nil && !state.Over() {
		_, _ = fmt.Fprintf(l.streams.ErrOut, "%v: waiting for the next Pod\n", state.Err) // only a remark
	}
}

func (l *follower) all(ctx context.Context, sandbox *follow.Follower, t *resolve.Target) error {
	pod := t.Pod
	for {
		last := resolve.Ended(pod) // before the request: then it gives all there is
		if err := l.one(ctx, pod); err != nil {
			return err
		}
		if last {
			return nil
		}
		if err := l.pause(ctx); err != nil {
			return err
		}
		sandbox.Look()
		next, err := l.next(ctx, sandbox, pod)
		if err != nil || next == nil {
			return err
		}
		pod = next
	}
}

// next is the Pod to read from: the one that runs, or one that has ended, whose last lines may be missing. It is nil when
// the sandbox was deleted.
func (l *follower) next(ctx context.Context, sandbox *follow.Follower, pod *corev1.Pod) (*corev1.Pod, error) {
	fresh, err := l.kubernetes.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err == nil && fresh.UID == pod.UID && resolve.Ended(fresh) && fresh.DeletionTimestamp == nil {
		return fresh, nil
	}
	t, err := sandbox.Running(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, follow.ErrGone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return t.Pod, nil
}

func (l *follower) pause(ctx context.Context) error {
	timer := l.clock.NewTimer(again)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// one writes what a Pod's container has written since the last line and writes until the connection ends.
func (l *follower) one(ctx context.Context, pod *corev1.Pod) error {
	request := l.options.request(l.container)
	request.Timestamps = true
	if pod.UID != l.pod {
		l.pod = pod.UID
		l.lines.restart()
		request.TailLines, request.SinceSeconds = nil, nil // the next Pod's lines are all new
	} else if last := l.lines.last; !last.IsZero() {
		request.TailLines, request.SinceSeconds, request.SinceTime = nil, nil, &metav1.Time{Time: last}
		l.lines.repeat()
	}
	from, err := l.kubernetes.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, request).Stream(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return err
	case err != nil:
		return nil // it comes back, or the sandbox's state says why not
	}
	defer from.Close()
	if err := l.lines.copy(from); err != nil {
		return err
	}
	return ctx.Err()
}
