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

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
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
	// Open opens the first port in a browser.
	Open bool

	ref   resolve.Ref
	specs []tunnel.PortSpec
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "port-forward NAME [LOCAL:]REMOTE...",
		Aliases:    []string{"pf"},
		SuggestFor: []string{"forward", "tunnel"},
		Short:      "Forward local ports to a sandbox",
		Long: "port-forward listens on local ports and forwards each connection to a port of the sandbox, until it is\n" +
			"interrupted, which is success (exit code 0). REMOTE is a number or the name of a container port; :REMOTE\n" +
			"listens on any free local port. The line \"Forwarding from ADDRESS:LOCAL -> REMOTE\" on standard output\n" +
			"means that a port is ready.\n\n" +
			"A connection that the sandbox refuses does not end the others. The local ports stay open while the\n" +
			"sandbox is suspended, its Pod is replaced or the API server restarts: open connections end, and new ones\n" +
			"wait up to " + follow.DialTimeout.String() + ". If the sandbox is deleted, the command ends with an error.\n\n" +
			"--stdio carries one connection over standard input and output, for use as the ProxyCommand of ssh (see\n" +
			"ssh-config). -o json writes one event per line: listening, connected, failed, waiting (with the reason)\n" +
			"and ready (with the Pod).",
		Example: "  kubectl sandbox port-forward dev 8080\n\n" +
			"  # Forward several ports, the second from any free local port\n" +
			"  kubectl sandbox port-forward dev 8080:80 :5432\n\n" +
			"  # Forward a named port and open it in the browser\n" +
			"  kubectl sandbox port-forward dev :http --open\n\n" +
			"  # Connect with ssh over standard input and output\n" +
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
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "The format of the events: json, one per line. (default: text)")
	cmd.Flags().BoolVar(
		&o.Stdio, "stdio", false, "Carry one connection over standard input and output instead of listening.",
	)
	cmd.Flags().BoolVar(&o.Open, "open", false, "Open the first port in a browser.")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions( // fails only for a flag that does not exist
		[]string{formatJSON}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func checkArgs(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("NAME and [LOCAL:]REMOTE are missing")
	case 1:
		return errors.New("[LOCAL:]REMOTE is missing: give a port of the sandbox")
	}
	return nil
}

// Validate checks the arguments and flags.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	if err != nil {
		return cli.UsageError(err)
	}
	o.ref, o.specs = ref, nil
	for _, text := range o.Ports {
		spec, err := tunnel.ParsePort(text)
		if err != nil {
			return cli.UsageError(err)
		}
		o.specs = append(o.specs, spec)
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
		return fmt.Errorf("-o %q is not an output format of port-forward: use json", o.Output)
	case o.Stdio && (o.Output != "" || o.Open):
		return errors.New("--stdio writes the connection to standard output: leave out -o and --open")
	case o.Stdio && (len(o.specs) != 1 || o.specs[0].Local != ""):
		return errors.New("--stdio carries one connection: give one REMOTE port and no local one")
	}
	return nil
}

// Run forwards until the context ends.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	client, err := target.NewClient(f)
	if err != nil {
		return err
	}
	box, err := client.Attach(ctx, o.ref.String())
	if err != nil {
		return target.Cause(err)
	}
	report := &reporter{streams: streams, json: o.Output == formatJSON}
	if o.Open {
		report.open = func(url string) error { return browse(ctx, runtime.GOOS, os.Getenv("BROWSER"), url) }
	}
	through := &sdk.PortForward{Ports: o.specs, Addresses: o.Addresses, Report: report.event, State: report.state}
	if o.Stdio {
		through.Conn = standard{streams}
	}
	return target.Cause(box.ForwardPorts(ctx, through))
}

// standard is the standard input and output as a connection.
type standard struct{ genericiooptions.IOStreams }

// Read implements io.Reader.
func (s standard) Read(p []byte) (int, error) { return s.In.Read(p) }

// Write implements io.Writer.
func (s standard) Write(p []byte) (int, error) { return s.Out.Write(p) }

// Close implements io.Closer. It does nothing, because the process ends soon.
func (s standard) Close() error { return nil }
