// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ui is the command `ui`: the dashboard.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/tui"
	"github.com/agent-sandbox/kubectl-sandbox/tui/restore"
)

const (
	// refresh is the default minimum time between two frames, and leastRefresh the smallest allowed one.
	refresh      = 250 * time.Millisecond
	leastRefresh = 100 * time.Millisecond
	// defaultWidth is the width of a frame without a terminal.
	defaultWidth = 160
	// watchFlag is the flag of the second process, which the dashboard starts itself.
	watchFlag = "restore-terminal"
)

// Options are the flags.
type Options struct {
	AllNamespaces bool
	Selector      string
	ReadOnly      bool
	Once          bool
	ASCII         bool
	Refresh       time.Duration

	// watching reports that this is the second process of a dashboard. It restores the terminal if the first one cannot.
	watching bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:     "ui",
		Aliases: []string{"dash", "top"},
		Short:   "Watch and manage pools, claims and sandboxes in a dashboard",
		Long: "ui is a dashboard in the terminal. It shows pools with their ready sandboxes and why they are short,\n" +
			"claims and sandboxes with their state, and why one is stuck. Enter opens the selected row, Esc goes\n" +
			"back, ? lists all keys, and s opens a shell in a sandbox.\n\n" +
			"Without a terminal it prints one frame and exits. It leaves out what you may not read, and says so.",
		Example: "  kubectl sandbox ui\n\n" +
			"  # Show all namespaces, and refuse every change\n" +
			"  kubectl sandbox ui -A --read-only\n\n" +
			"  # Print one frame, for a message or a ticket\n" +
			"  kubectl sandbox ui --once",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "Show all namespaces.")
	cmd.Flags().StringVarP(
		&o.Selector, "selector", "l", "", "Show only objects with these labels, as in '-l team=a,stage!=test'.",
	)
	cmd.Flags().BoolVar(&o.ReadOnly, "read-only", false, "Refuse everything that changes the cluster or enters a sandbox.")
	cmd.Flags().BoolVar(&o.Once, "once", false, "Print one frame and exit.")
	cmd.Flags().BoolVar(&o.ASCII, "ascii", false, "Draw with ASCII characters only.")
	cmd.Flags().DurationVar(&o.Refresh, "refresh", refresh,
		"The minimum time between two frames that show changes in the cluster.")
	cmd.Flags().BoolVar(&o.watching, watchFlag, false, "Restore the terminal when the process that started this one dies.")
	_ = cmd.Flags().MarkHidden(watchFlag) // fails only for a flag that does not exist
	return cmd
}

// Validate checks the flags.
func (o *Options) Validate() error {
	if err := cli.ValidateSelector(o.Selector); err != nil {
		return err
	}
	if o.Refresh < leastRefresh {
		return cli.UsageError(fmt.Errorf("--refresh is %s: use at least %s, nobody reads faster", o.Refresh, leastRefresh))
	}
	return nil
}

// Run shows the dashboard, or prints one frame if there is no terminal.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if tty, ok := streams.ErrOut.(*os.File); ok && o.watching {
		return restore.Wait(streams.In, streams.Out, tty)
	}
	namespace, explicit, err := f.Namespace()
	if err != nil {
		return err
	}
	if explicit && o.AllNamespaces {
		return cli.UsageError(errors.New("-n and -A do not go together"))
	}
	options, err := o.options(f, namespace, f.Color(streams.Out))
	if err != nil {
		return err
	}
	out, isFile := streams.Out.(*os.File)
	if o.Once || !isFile || !isTerminal(streams.In) || !isTerminal(streams.Out) {
		return tui.Once(ctx, *options, streams.Out, widthOf(streams.Out))
	}
	options.RestoreArgs, options.TTY = []string{"ui", "--" + watchFlag}, out
	return tui.Run(ctx, *options)
}

func (o *Options) options(f factory.Factory, namespace string, color bool) (*tui.Options, error) {
	config, err := f.RESTConfig()
	if err != nil {
		return nil, err
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return nil, err
	}
	network, err := stream.New(config, f.Clock())
	if err != nil {
		return nil, err
	}
	dynamic, err := f.Dynamic()
	if err != nil {
		return nil, err
	}
	options := &tui.Options{
		Sandboxes: a.Sandboxes, Kubernetes: a.Kubernetes, Dynamic: dynamic, Network: network, Clock: f.Clock(),
		Cluster: hostOf(config.Host), Namespace: namespace, Home: namespace, Selector: o.Selector,
		ReadOnly: o.ReadOnly, ASCII: o.ASCII || !utf8Locale(os.Getenv), Color: color, Refresh: o.Refresh,
	}
	if o.AllNamespaces {
		options.Namespace = ""
	}
	return options, nil
}

// hostOf returns the host and port of a server's URL.
func hostOf(server string) string {
	_, host, found := strings.Cut(server, "://")
	if !found {
		host = server
	}
	host, _, _ = strings.Cut(host, "/")
	return host
}

// utf8Locale reports whether the terminal shows more than ASCII. Without a locale it is assumed to.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8") || value == "c" || value == "posix"
		}
	}
	return true
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// widthOf returns the width of a frame that is printed to out.
func widthOf(out io.Writer) int {
	if file, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return defaultWidth
}
