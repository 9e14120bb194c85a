// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"io"
	"net/url"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/utils/clock"
)

// Container identifies a container.
type Container struct {
	Namespace string
	Pod       string
	// Name of the container; if it is empty, the API server uses the only one.
	Name string
}

// Process is a command with its standard streams. A stream that is nil is not opened.
type Process struct {
	// Command and its arguments. Attach ignores them.
	Command []string
	// Stdin is read to its end. One read may still be waiting when the process has ended: it cannot be interrupted.
	Stdin io.Reader
	// Bulk reports that the streams carry file content: SPDY is tried first, which is faster (docs/adr/0005). The
	// command must read Stdin to its end, so input is sent at full speed. Other input is paced, because a command may
	// end without reading it: docs/known-limits.md.
	Bulk   bool
	Stdout io.Writer
	// Stderr receives nothing with a TTY: the terminal mixes both.
	Stderr io.Writer
	TTY    bool
	// Sizes are the sizes of the terminal, the first one at once. Nil leaves the size unchanged.
	Sizes remotecommand.TerminalSizeQueue
}

// MaxReportBytes limits how much of a node's report about the end of a session is kept in memory. Other data from a
// container is never buffered.
const MaxReportBytes = 64 * 1024

// Network connects to containers.
type Network interface {
	// Exec runs a command and returns when it has ended: nil, an *ExitError, a *StartError, a *LostError, or why it
	// could not be requested.
	Exec(ctx context.Context, in Container, process Process) error
	// Attach is like Exec for the container's main process.
	Attach(ctx context.Context, in Container, process Process) error
	// Forward opens a connection to a Pod that carries port-forward streams.
	Forward(ctx context.Context, namespace, pod string) (httpstream.Connection, error)
}

// Client is the Network of an API server.
type Client struct {
	config *rest.Config
	core   rest.Interface
	clock  clock.WithTicker

	timeouts    Timeouts
	spdyRefused atomic.Bool // the server or a proxy
}

var _ Network = (*Client)(nil)

// New returns the Network of the API server that the configuration names.
func New(config *rest.Config, clock clock.WithTicker) (*Client, error) {
	config = rest.CopyConfig(config)
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion()
	config.Timeout = 0 // the limit of requests does not apply to sessions
	core, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &Client{config: config, core: core, clock: clock, timeouts: DefaultTimeouts()}, nil
}

// Exec implements Network.
func (c *Client) Exec(ctx context.Context, in Container, process Process) error {
	return c.run(ctx, process, c.url(in, "exec", &corev1.PodExecOptions{
		Container: in.Name, Command: process.Command,
		Stdin: process.Stdin != nil, Stdout: process.Stdout != nil, Stderr: process.wantsStderr(), TTY: process.TTY,
	}))
}

// Attach implements Network.
func (c *Client) Attach(ctx context.Context, in Container, process Process) error {
	return c.run(ctx, process, c.url(in, "attach", &corev1.PodAttachOptions{
		Container: in.Name,
		Stdin:     process.Stdin != nil, Stdout: process.Stdout != nil, Stderr: process.wantsStderr(), TTY: process.TTY,
	}))
}

func (p Process) wantsStderr() bool { return p.Stderr != nil && !p.TTY }

func (c *Client) url(in Container, subresource string, options runtime.Object) *url.URL {
	return c.core.Get().Resource("pods").Namespace(in.Namespace).Name(in.Pod).SubResource(subresource).
		VersionedParams(options, clientgoscheme.ParameterCodec).URL()
}

// run uses WebSocket, which every proxy passes and which reports errors best. Bulk data uses SPDY, which is faster, and
// whose server answers pings although the command reads no input. If one is refused, the other is tried.
func (c *Client) run(ctx context.Context, process Process, target *url.URL) error {
	much := process.Bulk || process.Stdin != nil && !process.TTY && !fitsInPipe(process.Stdin)
	if process.Stdin != nil && !process.Bulk && !process.TTY {
		process.Stdin = pace(ctx, c.clock, process.Stdin)
	}
	var first error // of SPDY
	much = much && !c.spdyRefused.Load()
	if much {
		late := c.clock.NewTimer(spdyResponseTimeout)
		defer late.Stop()
		var begun bool
		if begun, first = c.overSPDY(ctx, target, process, late.C()); begun || ctx.Err() != nil {
			return first
		}
		c.spdyRefused.Store(true)
	}
	err := c.overWebSocket(ctx, target, process)
	switch {
	case !shouldFallBack(err):
		return err
	case much:
		return preferredError(err, first)
	}
	_, last := c.overSPDY(ctx, target, process, nil)
	return preferredError(err, last)
}
