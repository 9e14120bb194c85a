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

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// retryPause is the pause before the logs of a container are requested again.
const retryPause = time.Second

// logs reads the logs of one Pod after another.
type logs struct {
	sandbox       *Follower
	kubernetes    kubernetes.Interface
	wanted        *corev1.PodLogOptions
	lines         *lines
	pod           types.UID // the Pod that the lines are from
	firstAnswered time.Time // when the first request for them was answered
	longestAnswer time.Duration
}

// completeAfter is how long a response lasts before it certainly contains all lines that existed at its start.
const completeAfter = 2 * time.Second

// Logs writes the logs of the target's Pod and of its successors: no line twice, and none missing that the cluster
// still has. wanted names the container, how much of the past to write and whether to keep timestamps; Logs always
// follows. It returns nil when the sandbox has finished or was deleted. Run must be running.
func (f *Follower) Logs(
	ctx context.Context, kubernetes kubernetes.Interface, wanted *corev1.PodLogOptions, out io.Writer,
) error {
	pod := f.first.Pod
	l := &logs{
		sandbox: f, kubernetes: kubernetes, wanted: wanted, pod: pod.UID, lines: &lines{
			out: out, keepTimes: wanted.Timestamps,
		},
	}
	for pod != nil {
		last := ending.Of(pod).Finished() // before the request, which then returns everything
		if err := l.followPod(ctx, pod); err != nil || last {
			return err
		}
		if err := l.pause(ctx); err != nil {
			return err
		}
		f.Recheck()
		var err error
		if pod, err = l.next(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// next returns the Pod to read from: the running one, or one that has ended since the last request and may have more
// lines. It returns nil if the sandbox was deleted.
func (l *logs) next(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	fresh, err := l.kubernetes.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err == nil && fresh.UID == pod.UID && resolve.Ended(fresh) && fresh.DeletionTimestamp == nil &&
		(!resolve.Ended(pod) || ending.Of(fresh).Finished()) {
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
	timer := l.sandbox.clock.NewTimer(retryPause)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// followPod writes a Pod's log lines after the last one, until the connection ends.
func (l *logs) followPod(ctx context.Context, pod *corev1.Pod) error {
	request := l.wanted.DeepCopy()
	request.Follow, request.Timestamps = true, true
	if pod.UID != l.pod {
		l.pod = pod.UID
		l.lines.restart()
		l.firstAnswered, l.longestAnswer = time.Time{}, 0
		request.TailLines, request.SinceSeconds = nil, nil // all lines of the next Pod are new
	} else if l.lines.last.IsZero() {
		l.continueFromStart(request)
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
		return nil // the API server returns, or the sandbox's state says why not
	}
	defer from.Close()
	begun := l.sandbox.clock.Now()
	if l.firstAnswered.IsZero() {
		l.firstAnswered = begun
	}
	err = l.lines.copy(from)
	l.longestAnswer = max(l.longestAnswer, l.sandbox.clock.Since(begun))
	if err != nil {
		return err
	}
	return ctx.Err()
}

// continueFromStart makes a request start where the first one did, which has returned no line yet. The node's clock may
// differ, so only elapsed time counts.
func (l *logs) continueFromStart(request *corev1.PodLogOptions) {
	if l.firstAnswered.IsZero() {
		return
	}
	passed := int64(l.sandbox.clock.Since(l.firstAnswered)/time.Second) + 1
	switch tail := request.TailLines; {
	case request.SinceSeconds != nil:
		request.SinceSeconds = new(*request.SinceSeconds + passed)
	case tail != nil && (*tail == 0 || l.longestAnswer >= completeAfter): // there were no lines
		request.TailLines, request.SinceSeconds = nil, &passed
	}
}
