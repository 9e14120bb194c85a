// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"errors"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// again is how long we wait before we ask once more for the logs of a container.
const again = time.Second

// logs goes from Pod to Pod.
type logs struct {
	sandbox    *Follower
	kubernetes kubernetes.Interface
	wanted     *corev1.PodLogOptions
	lines      *lines
	pod        types.UID // whose logs the lines are
}

// Logs writes the logs of the target's Pod and of those that take its place: no line twice, and none missing that the
// cluster still has. Wanted names the container, how much of the past is written and whether lines begin with a time; that
// they are followed is understood. It ends without an error when the sandbox has finished or was deleted, and otherwise with
// the context's error, the writer's, or that the caller may not read logs. Run must be running.
func (f *Follower) Logs(ctx context.Context, kubernetes kubernetes.Interface, wanted *corev1.PodLogOptions, out io.Writer) error {
	pod := f.first.Pod
	l := &logs{
		sandbox: f, kubernetes: kubernetes, wanted: wanted, pod: pod.UID, lines: &lines{out: out, keepTimes: wanted.Timestamps},
	}
	for pod != nil {
		last := resolve.Ended(pod) // before the request: then it gives all there is
		if err := l.one(ctx, pod); err != nil || last {
			return err
		}
		if err := l.pause(ctx); err != nil {
			return err
		}
		f.Look()
		var err error
		if pod, err = l.next(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// next is the Pod to read from: the one that runs, or one that has ended, whose last lines may be missing. It is nil when
// the sandbox was deleted.
func (l *logs) next(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	fresh, err := l.kubernetes.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err == nil && fresh.UID == pod.UID && resolve.Ended(fresh) && fresh.DeletionTimestamp == nil {
		return fresh, nil
	}
	t, err := l.sandbox.Running(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, ErrGone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return t.Pod, nil
}

func (l *logs) pause(ctx context.Context) error {
	timer := l.sandbox.clock.NewTimer(again)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// one writes what a Pod's container has written since the last line and writes until the connection ends.
func (l *logs) one(ctx context.Context, pod *corev1.Pod) error {
	request := l.wanted.DeepCopy()
	request.Follow, request.Timestamps = true, true
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
