// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// kubelet serves the logs of a container that writes lines at an interval, from the requested second or number of
// lines.
type kubelet struct {
	mu    sync.Mutex
	lines []time.Time
	more  chan struct{}
	asked map[string]bool // clients whose first request has started
}

// reads waits until that many clients are served: lines written afterwards are new to all of them.
func (k *kubelet) reads(t *testing.T, count int) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		k.mu.Lock()
		asked := len(k.asked)
		k.mu.Unlock()
		if asked >= count {
			return
		}
		select {
		case <-time.After(time.Millisecond):
		case <-limit:
			t.Fatalf("%d of %d clients came", asked, count)
		}
	}
}

func (k *kubelet) write() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = append(k.lines, time.Now())
	close(k.more)
	k.more = make(chan struct{})
}

func (k *kubelet) after(n int) ([]time.Time, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lines[n:], k.more
}

func (k *kubelet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	all, _ := k.after(0)
	var since time.Time
	from, seconds := 0, 0
	if at, err := time.Parse(time.RFC3339, r.URL.Query().Get("sinceTime")); err == nil {
		since = at
	}
	if _, err := fmt.Sscan(r.URL.Query().Get("sinceSeconds"), &seconds); err == nil {
		since = time.Now().Add(-time.Duration(seconds) * time.Second)
	}
	for from < len(all) && all[from].Before(since) {
		from++
	}
	if tail := 0; r.URL.Query().Get("tailLines") != "" {
		_, _ = fmt.Sscan(r.URL.Query().Get("tailLines"), &tail)
		from = max(from, len(all)-tail)
	}
	k.mu.Lock()
	k.asked[r.UserAgent()] = true
	k.mu.Unlock()
	_ = http.NewResponseController(w).Flush()
	for {
		lines, more := k.after(from)
		for _, at := range lines {
			_, _ = fmt.Fprintf(w, "%s line %d\n", at.UTC().Format(time.RFC3339Nano), from)
			from++
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

type output struct {
	mu  sync.Mutex
	all strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(p)
}

func (o *output) lines() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Split(strings.TrimSuffix(o.all.String(), "\n"), "\n")
}

// through returns a client whose log requests pass through a proxy.
func through(t *testing.T, server http.Handler) (*proxy.Proxy, kubernetes.Interface) {
	t.Helper()
	api := httptest.NewServer(server)
	t.Cleanup(api.Close)
	between, config, err := proxy.For(&rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(between.Close)
	limits := transport.Limits{
		Response: time.Second, Idle: 300 * time.Millisecond, RetryFor: time.Second, Pause: 20 * time.Millisecond,
	}
	config.Transport = &http.Transport{}
	config.UserAgent = between.Address()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport.New(next, clock.RealClock{}, limits, false)
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return between, client
}

// logsOf follows the logs of a sandbox until the test ends.
func logsOf(t *testing.T, client kubernetes.Interface, wanted *corev1.PodLogOptions) *output {
	t.Helper()
	sandbox := builders.Sandbox("dev", builders.WithUID("s"))
	pod := builders.Pod("dev", builders.OwnedBy(sandbox), builders.Ready())
	cluster := fakecluster.New(sandbox, pod)
	target := &resolve.Target{
		Namespace: pod.Namespace, Ref: resolve.Ref{Kind: resolve.KindSandbox, Name: "dev"}, Sandbox: sandbox, Pod: pod,
	}
	sandboxes := await.New(cluster.Sandboxes, cluster.Kubernetes, clock.RealClock{})
	f := New(resolve.New(cluster.Sandboxes, cluster.Kubernetes, clock.RealClock{}), sandboxes, clock.RealClock{}, target)
	ctx, cancel := context.WithCancel(t.Context())
	out := &output{}
	var all sync.WaitGroup
	all.Go(func() { _ = f.Run(ctx, func(State) {}) })
	all.Go(func() { _ = f.Logs(ctx, client, wanted, out) })
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
	return out
}

func TestLogsGoOnWithoutALineLostOrTwiceWhateverHappensToTheirConnections(t *testing.T) {
	t.Parallel()
	container := &kubelet{more: make(chan struct{}), asked: map[string]bool{}}
	for range 5 {
		container.write()
	}
	<-time.After(2100 * time.Millisecond) // the lines before are of another second
	var all sync.WaitGroup                // nearly all of the time is waited
	defer all.Wait()
	begin, followers := make(chan struct{}), 0
	for name, tt := range map[string]struct {
		wanted corev1.PodLogOptions
		first  int // the line that is written first
	}{
		"all of them":             {corev1.PodLogOptions{}, 0},
		"the last two":            {corev1.PodLogOptions{TailLines: new(int64(2))}, 3},
		"none of those there are": {corev1.PodLogOptions{TailLines: new(int64(0))}, 5},
	} {
		for kind, action := range map[string]proxy.Action{
			"stalled": proxy.Stall, "swallowed": proxy.Swallow, "reset": proxy.Reset, "ended": proxy.End,
		} {
			between, client := through(t, container)
			out := logsOf(t, client, &tt.wanted)
			followers++
			container.reads(t, followers)
			all.Go(func() {
				<-begin
				got := out.broken(t, between, action)
				for i, line := range got {
					if line != fmt.Sprintf("line %d", tt.first+i) {
						t.Errorf("%s, %s: line %d is %q", name, kind, tt.first+i, line)
						return
					}
				}
				if len(got) < 100 {
					t.Errorf("%s, %s: %d lines came", name, kind, len(got))
				}
			})
		}
	}
	close(begin)
	for range 150 { // while the connections break
		<-time.After(20 * time.Millisecond)
		container.write()
	}
}

// broken breaks connections until 100 lines have arrived, and returns them.
func (o *output) broken(t *testing.T, between *proxy.Proxy, action proxy.Action) []string {
	t.Helper()
	begin := time.After(200 * time.Millisecond)
	for between.Connections() == 0 {
		<-time.After(time.Millisecond)
	}
	<-begin
	again := time.NewTicker(700 * time.Millisecond)
	defer again.Stop()
	limit := time.After(40 * time.Second)
	breaks := 3
	for got := o.lines(); ; got = o.lines() {
		if len(got) >= 100 && breaks <= 0 {
			return got
		}
		select {
		case <-again.C:
			if breaks--; breaks >= 0 {
				between.Now(action)
			}
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			return got
		}
	}
}
