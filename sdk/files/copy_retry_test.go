// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// behind returns a Copier whose connections pass through a proxy, and which has short timeouts.
func behind(t *testing.T, m *machine, options files.Options) (*files.Copier, *proxy.Proxy) {
	t.Helper()
	between, through, err := proxy.For(m.server.Config())
	must(t, err)
	t.Cleanup(between.Close)
	network, err := stream.New(through, clock.RealClock{})
	must(t, err)
	soon := stream.Timeouts{PingInterval: 200 * time.Millisecond, Idle: 2 * time.Second, Response: 10 * time.Second}
	return files.New(network.WithTimeouts(soon), stream.Container{Namespace: "ns", Pod: "pod"}, options), between
}

func TestACopyWhoseConnectionGoesSilentGoesOnByItself(t *testing.T) {
	for name, fault := range map[string]proxy.Fault{
		"into the sandbox, a stall":    {Action: proxy.Stall, Sent: largeFile / 2},
		"out of the sandbox, a stall":  {Action: proxy.Stall, Received: largeFile / 2},
		"into the sandbox, a swallow":  {Action: proxy.Swallow, Sent: largeFile / 2},
		"out of the sandbox, a reset":  {Action: proxy.Reset, Received: largeFile / 2},
		"into the sandbox, from there": {Action: proxy.Reset, Sent: largeFile / 2},
	} {
		for _, kind := range []string{"file", "tree"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				m := start(t, everything())
				for _, root := range []string{m.local, m.remote} {
					write(t, filepath.Join(root, "file"), noise(largeFile), 0o640)
					write(t, filepath.Join(root, "tree", "a", "b\nc"), noise(largeFile/2), 0o640)
					write(t, filepath.Join(root, "tree", "d"), noise(largeFile/2), 0o640)
				}
				count := &cutting{}
				count.over(m)
				var between *proxy.Proxy
				var asked int
				c, between := behind(t, m, files.Options{Retry: func(_ context.Context, why error, done int64) bool {
					if _, lost := errors.AsType[*stream.LostError](why); !lost || done == 0 {
						t.Errorf("asked after %d bytes because %v", done, why)
					}
					asked++
					between.Always(proxy.Fault{})
					return true
				}})
				between.Always(fault)
				if fault.Sent > 0 {
					must(t, c.Upload(t.Context(), filepath.Join(m.local, kind), m.remote+"/dst"))
					same(t, filepath.Join(m.local, kind), m.remote+"/dst")
					if passed := count.passed.Load(); kind == "file" && passed > largeFile*5/4 {
						t.Errorf("%d of %d bytes arrived: it has begun anew", passed, largeFile)
					}
				} else {
					must(t, c.Download(t.Context(), m.remote+"/"+kind, filepath.Join(m.local, "dst")))
					same(t, filepath.Join(m.remote, kind), filepath.Join(m.local, "dst"))
				}
				nothingOfOurs(t, m.local, m.remote)
				if asked != 1 || c.Partial() != "" {
					t.Errorf("asked %d times, left %q", asked, c.Partial())
				}
			})
		}
	}
}

func TestWhatWentToADeviceIsNotSentTwice(t *testing.T) {
	m := start(t, everything())
	write(t, m.remote+"/file", noise(largeFile), 0o640)
	c, between := behind(t, m, files.Options{Retry: func(context.Context, error, int64) bool {
		t.Error("it would be written twice")
		return false
	}})
	between.Always(proxy.Fault{Action: proxy.Reset, Received: largeFile / 2})
	if err := c.Download(t.Context(), m.remote+"/file", os.DevNull); err == nil {
		t.Error("no error")
	}
}
