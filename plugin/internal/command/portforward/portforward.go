// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package portforward is the command `port-forward`.
package portforward

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// formatJSON is the only value of --output.
const formatJSON = "json"

// Options are the arguments and flags.
type Options struct {
	Name      string
	Ports     []string
	Addresses []string
	// Output is empty or json.
	Output string
	// Stdio carries one connection over standard input and output instead of listening.
	Stdio bool
	// Open shows the first port in a browser.
	Open bool

	ref  resolve.Ref
	asks []tunnel.PortSpec
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "port-forward NAME [LOCAL:]REMOTE...",
		SuggestFor: []string{"forward", "tunnel"},
		Short:      "Reach ports of a sandbox from this machine",
		Long: "port-forward listens on local ports and carries every connection to a port in the sandbox, until it is interrupted,\n" +
			"which is success (exit code 0). REMOTE is a number or the name of a container's port; :REMOTE takes any free local\n" +
			"port. The line \"Forwarding from ADDRESS:LOCAL -> REMOTE\" on standard output says that a port is ready.\n\n" +
			"A connection that the sandbox refuses does not end the others. The local ports stay while the sandbox is suspended, its\n" +
			"Pod is replaced or the API server restarts: connections made meanwhile wait up to " + follow.DialTimeout.String() + ", those that were open end. A\n" +
			"sandbox that was deleted ends the command with an error.\n\n" +
			"--stdio carries one connection over standard input and output, for use as a ProxyCommand of ssh (see ssh-config).\n" +
			"-o json writes one event a line: listening, connected, failed, waiting (with the reason) and ready (with the Pod).",
		Example: "  kubectl sandbox port-forward dev 8080\n\n" +
			"  # Several ports, the second on any free local port\n" +
			"  kubectl sandbox port-forward dev 8080:80 :5432\n\n" +
			"  # A port by its name, in the browser\n" +
			"  kubectl sandbox port-forward dev :http --open\n\n" +
			"  # Over standard input and output\n" +
			"  ssh -o ProxyCommand='kubectl sandbox port-forward dev 22 --stdio' root@dev",
		Args:              checkArgs,
		ValidArgsFunction: cli.CompleteFirstThenRest(cli.CompleteSandboxes(f), cli.CompletePorts(f)),
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
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "The format of the events: json, one a line. (default: text)")
	cmd.Flags().BoolVar(
		&o.Stdio, "stdio", false, "Carry one connection over standard input and output instead of listening.",
	)
	cmd.Flags().BoolVar(&o.Open, "open", false, "Show the first port in a browser.")
	_ = cmd.RegisterFlagCompletionFunc(
		"output", cobra.FixedCompletions([]string{formatJSON}, cobra.ShellCompDirectiveNoFileComp),
	) // it exists
	return cmd
}

func checkArgs(_ *cobra.Command, args []string) error {
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
		return cli.UsageError(err)
	}
	o.ref, o.asks = ref, nil
	for _, text := range o.Ports {
		ask, err := tunnel.ParsePort(text)
		if err != nil {
			return cli.UsageError(err)
		}
		o.asks = append(o.asks, ask)
	}
	if len(o.Addresses) == 0 {
		return cli.UsageError(errors.New("--address is empty"))
	}
	for _, address := range o.Addresses {
		if err := tunnel.CheckAddress(address); err != nil {
			return cli.UsageError(fmt.Errorf("--address: %w", err))
		}
	}
	return cli.UsageError(o.validateModes())
}

func (o *Options) validateModes() error {
	switch {
	case o.Output != "" && o.Output != formatJSON:
		return fmt.Errorf("-o %q is no format of port-forward: use json", o.Output)
	case o.Stdio && (o.Output != "" || o.Open):
		return errors.New("--stdio writes the connection to standard output: leave out -o and --open")
	case o.Stdio && (len(o.asks) != 1 || o.asks[0].Local != ""):
		return errors.New("--stdio carries one connection: give one REMOTE port and no local one")
	}
	return nil
}

// Run forwards until the context ends.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	container, err := target.Resolve(ctx, f, o.ref, "")
	if err != nil {
		return err
	}
	ports := make([]tunnel.Port, 0, len(o.asks))
	for _, ask := range o.asks {
		port, err := ask.Resolve(func(name string) (int32, bool) { return resolve.Port(container.Sandbox.Pod, name) })
		if err != nil {
			return err
		}
		ports = append(ports, port)
	}
	sandbox := follow.New(container.Clients.Resolver, container.Clients.Waiter, f.Clock(), container.Sandbox)
	dial := func(ctx context.Context) (httpstream.Connection, error) { return sandbox.Dial(ctx, container.Network) }
	report := &reporter{streams: streams, json: o.Output == formatJSON}
	if o.Open {
		report.open = func(url string) error { return browse(ctx, runtime.GOOS, os.Getenv("BROWSER"), url) }
	}
	ctx, end := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer end(nil)
	all.Go(func() {
		if err := sandbox.Run(ctx, report.state); err != nil {
			end(err)
		}
	})
	if o.Stdio {
		return tunnel.Carry(ctx, dial, standard{streams}, ports[0].Remote)
	}
	through := &tunnel.Tunnel{Dial: dial, Addresses: o.Addresses, Ports: ports, Report: report.event}
	return through.Run(ctx)
}

// standard is our standard input and output as a connection.
type standard struct{ genericiooptions.IOStreams }

// Read implements io.Reader.
func (s standard) Read(p []byte) (int, error) { return s.In.Read(p) }

// Write implements io.Writer.
func (s standard) Write(p []byte) (int, error) { return s.Out.Write(p) }

// Close implements io.Closer. The process ends soon.
func (s standard) Close() error { return nil }
