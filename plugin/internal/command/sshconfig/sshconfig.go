// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sshconfig is the command `ssh-config`.
package sshconfig

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// Options are the arguments and flags.
type Options struct {
	Name string
	// Host is what ssh will call the sandbox.
	Host string
	User string
	// Port is where the sandbox's ssh server listens: a number, or the name of a container's port.
	Port string

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "ssh-config NAME",
		Short: "Print an entry for ssh's configuration",
		Long: "ssh-config prints a Host entry with which ssh, scp, rsync and editors reach an ssh server in a sandbox. The connection\n" +
			"goes through 'port-forward --stdio', so the sandbox needs no address that this machine can reach. The flags that choose\n" +
			"a cluster (--context, --kubeconfig, ...) go into the entry; without them it follows the current context.\n\n" +
			"The image must have an ssh server, which is not started by this.",
		Example: "  kubectl sandbox ssh-config dev --user root >> ~/.ssh/config\n" +
			"  ssh sandbox-dev",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if err := o.Validate(); err != nil {
				return err
			}
			namespace, _, err := f.Namespace()
			if err != nil {
				return err
			}
			return o.Print(streams.Out, f.Program(), namespace, given(cmd.Flags()))
		},
	}
	cmd.Flags().StringVar(&o.Host, "host", "", "What ssh calls the sandbox. (default: sandbox-NAME)")
	cmd.Flags().StringVar(&o.User, "user", "", "The user to log in as. (default: ssh's own)")
	cmd.Flags().StringVar(
		&o.Port, "port", "22", "The port of the sandbox's ssh server: a number, or the name of a container's port.",
	)
	return cmd
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Validate checks the arguments and flags.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	if err != nil {
		return cli.UsageError(err)
	}
	o.ref = ref
	if o.Host == "" {
		o.Host = "sandbox-" + ref.Name
	}
	ask, err := tunnel.ParsePort(o.Port)
	switch {
	case err != nil || ask.Local != "":
		return cli.UsageError(fmt.Errorf("--port is %q: give a number, or the name of a container's port", o.Port))
	case !hostName.MatchString(o.Host):
		return cli.UsageError(fmt.Errorf("--host is %q: use letters, digits, dots, hyphens and underscores", o.Host))
	case strings.ContainsAny(o.User, " \t\r\n\""):
		return cli.UsageError(errors.New("--user has characters that no user's name has"))
	}
	return nil
}

// Print writes the entry. More are flags for the plugin.
func (o *Options) Print(out io.Writer, program, namespace string, more []string) error {
	words := append(strings.Fields(program), "port-forward", o.ref.String(), o.Port, "--stdio", "--namespace="+namespace)
	for _, word := range more {
		words = append(words, cli.ShellQuote(word))
	}
	entry := []string{
		"Host " + o.Host,
		"  HostKeyAlias " + o.Host + "." + namespace, // names of sandboxes repeat in other namespaces
		// ssh replaces percent signs and gives the rest to a shell.
		"  ProxyCommand " + strings.ReplaceAll(strings.Join(words, " "), "%", "%%"),
	}
	if o.User != "" {
		entry = slices.Insert(entry, 1, "  User "+o.User)
	}
	_, err := io.WriteString(out, strings.Join(entry, "\n")+"\n")
	return err
}

// given are the flags that choose the cluster, as the user gave them.
func given(flags *pflag.FlagSet) []string {
	var all []string
	flags.Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		switch flag.Name {
		case "kubeconfig", "certificate-authority", "client-certificate", "client-key":
			if whole, err := filepath.Abs(value); err == nil {
				value = whole // ssh may be called from anywhere
			}
		case "context", "cluster", "server", "tls-server-name", "as":
		case "as-group", "insecure-skip-tls-verify":
			value = strings.Trim(value, "[]")
		default:
			return
		}
		all = append(all, "--"+flag.Name+"="+value)
	})
	return all
}
