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
	// Host is the name of the sandbox in ssh.
	Host string
	User string
	// Port is the port of the ssh server in the sandbox: a number, or the name of a container port.
	Port string

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "ssh-config NAME",
		Short: "Print an entry for the configuration of ssh",
		Long: "ssh-config prints a Host entry that lets ssh, scp, rsync and editors reach an ssh server in a sandbox.\n" +
			"The connection goes through 'port-forward --stdio', so the sandbox needs no address that this machine\n" +
			"can reach. Flags that select a cluster (--context, --kubeconfig, ...) are copied into the entry; without\n" +
			"them it follows the current context.\n\n" +
			"The image must contain an ssh server. This command does not start it.",
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
			return o.print(streams.Out, f.Program(), namespace, clusterFlags(cmd.Flags()))
		},
	}
	cmd.Flags().StringVar(&o.Host, "host", "", "The name of the sandbox in ssh. (default: sandbox-NAME)")
	cmd.Flags().StringVar(&o.User, "user", "", "The user to log in as. (default: the default of ssh)")
	cmd.Flags().StringVar(&o.Port, "port", "22",
		"The port of the ssh server in the sandbox: a number, or the name of a container port.")
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
	spec, err := tunnel.ParsePort(o.Port)
	switch {
	case err != nil || spec.Local != "":
		return cli.UsageError(fmt.Errorf("--port is %q: give a number, or the name of a container port", o.Port))
	case !hostName.MatchString(o.Host):
		return cli.UsageError(fmt.Errorf("--host is %q: use letters, digits, dots, hyphens and underscores", o.Host))
	case strings.ContainsAny(o.User, " \t\r\n\""):
		return cli.UsageError(errors.New("--user contains characters that a user name cannot have"))
	}
	return nil
}

// print writes the entry. flags are added to the command line of the plugin in it.
func (o *Options) print(out io.Writer, program, namespace string, flags []string) error {
	words := append(strings.Fields(program), "port-forward", o.ref.String(), o.Port, "--stdio", "--namespace="+namespace)
	for _, word := range flags {
		words = append(words, cli.ShellQuote(word))
	}
	entry := []string{
		"Host " + o.Host,
		"  HostKeyAlias " + o.Host + "." + namespace, // another namespace may have a sandbox of the same name
		// ssh expands percent signs and passes the result to a shell.
		"  ProxyCommand " + strings.ReplaceAll(strings.Join(words, " "), "%", "%%"),
	}
	if o.User != "" {
		entry = slices.Insert(entry, 1, "  User "+o.User)
	}
	_, err := io.WriteString(out, strings.Join(entry, "\n")+"\n")
	return err
}

// clusterFlags returns the given flags that select the cluster.
func clusterFlags(flags *pflag.FlagSet) []string {
	var all []string
	flags.Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		switch flag.Name {
		case "kubeconfig", "certificate-authority", "client-certificate", "client-key":
			if whole, err := filepath.Abs(value); err == nil {
				value = whole // ssh may run in any directory
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
