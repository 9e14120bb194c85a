// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package portforward is the command `port-forward`.
package portforward

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/complete"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// Options are the arguments and flags.
type Options struct {
	Name      string
	Ports     []string
	Addresses []string

	ref  resolve.Ref
	asks []tunnel.Ask
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "port-forward NAME [LOCAL:]REMOTE...",
		Short: "Reach ports of a sandbox from this machine",
		Long: "port-forward listens on local ports and carries every connection to a port in the sandbox, until it is interrupted,\n" +
			"which is success (exit code 0). REMOTE is a number or the name of a container's port; :REMOTE takes any free local\n" +
			"port. The line \"Forwarding from ADDRESS:LOCAL -> REMOTE\" on standard output says that a port is ready.\n\n" +
			"A connection that the sandbox refuses does not end the others. A sandbox that was deleted ends the command.",
		Example: "  kubectl sandbox port-forward dev 8080\n\n" +
			"  # Several ports, the second on any free local port\n" +
			"  kubectl sandbox port-forward dev 8080:80 :5432",
		Args:              needed,
		ValidArgsFunction: complete.One(complete.Sandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Ports = args[0], args[1:]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringSliceVar(&o.Addresses, "address", []string{"localhost"},
		"The addresses to listen on: IP addresses, or localhost for 127.0.0.1 and ::1.")
	return cmd
}

func needed(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("NAME and [LOCAL:]REMOTE are missing")
	case 1:
		return errors.New("[LOCAL:]REMOTE is missing: which port of the sandbox is it to be?")
	}
	return nil
}

// Validate checks the arguments and flags.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	if err != nil {
		return exit.Usage(err)
	}
	o.ref, o.asks = ref, nil
	for _, text := range o.Ports {
		ask, err := tunnel.ParsePort(text)
		if err != nil {
			return exit.Usage(err)
		}
		o.asks = append(o.asks, ask)
	}
	if len(o.Addresses) == 0 {
		return exit.Usage(errors.New("--address is empty"))
	}
	for _, address := range o.Addresses {
		if err := tunnel.CheckAddress(address); err != nil {
			return exit.Usage(fmt.Errorf("--address: %w", err))
		}
	}
	return nil
}

// Run forwards until the context ends.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	inside, err := exec.Enter(ctx, f, o.ref, "")
	if err != nil {
		return err
	}
	ports := make([]tunnel.Port, 0, len(o.asks))
	for _, ask := range o.asks {
		port, err := ask.Resolve(func(name string) (int32, bool) { return portCalled(inside.Target.Pod, name) })
		if err != nil {
			return err
		}
		ports = append(ports, port)
	}
	through := &tunnel.Tunnel{
		Dial: o.dialer(inside), Addresses: o.Addresses, Ports: ports,
		Report: func(e tunnel.Event) { tell(streams, e) },
	}
	return through.Run(ctx)
}

// dialer connects to the Pod that the name leads to at that moment, so that a Pod may be replaced meanwhile. The object
// that the name led to first must still be there: another of the same name is another sandbox.
func (o *Options) dialer(inside *exec.Inside) func(context.Context) (httpstream.Connection, error) {
	a, uid := inside.Access, inside.Target.UID()
	return func(ctx context.Context) (httpstream.Connection, error) {
		t, err := a.Resolver.Running(ctx, a.Namespace, o.ref)
		switch {
		case resolve.Is(err, resolve.NotFound), resolve.Is(err, resolve.Deleting), err == nil && t.UID() != uid:
			return nil, fmt.Errorf("%s was deleted: %w", o.ref, tunnel.ErrGone)
		case err != nil:
			return nil, err
		}
		return inside.Network.Forward(ctx, t.Namespace, t.Pod.Name)
	}
}

// tell writes what is forwarded to standard output, as kubectl does, and failures to standard error. Neither can be told
// elsewhere if it cannot be written.
func tell(streams genericiooptions.IOStreams, e tunnel.Event) {
	switch {
	case e.Err != nil:
		_, _ = fmt.Fprintf(streams.ErrOut, "A connection to port %d failed: %v\n", e.Remote, e.Err)
	case !e.Connected:
		_, _ = fmt.Fprintf(streams.Out, "Forwarding from %s -> %d\n", e.Listener, e.Remote)
	}
}

func portCalled(pod *corev1.Pod, name string) (int32, bool) {
	for i := range pod.Spec.Containers {
		for _, port := range pod.Spec.Containers[i].Ports {
			if port.Name == name {
				return port.ContainerPort, true
			}
		}
	}
	return 0, false
}
