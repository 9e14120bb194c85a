// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cli parses the command line. The packages beside it do the work.
package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/binaries"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/places"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/prerequisites"
)

// New returns the root command. It writes machine-readable output to out, and progress messages to progress.
func New(out, progress io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "A real single-node Kubernetes on this machine, from Go modules and without a registry",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(out)
	root.SetErr(progress)
	root.AddCommand(
		prerequisitesCommand(progress), binariesCommand(out, progress), imageCommand(out, progress),
		upCommand(progress), downCommand(progress), loadCommand(progress), kubeconfigCommand(out, progress),
		statusCommand(out, progress), logsCommand(progress), killCommand(progress), startCommand(progress),
		restartCommand(progress),
	)
	return root
}

func prerequisitesCommand(progress io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "prerequisites",
		Short: "Install the Debian packages that tests and clusters lack, or say which they are",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return prerequisites.EnsureTests(cmd.Context(), progress)
		},
	}
}

// binarySets are the values of binaries --only. Without the flag, all programs are built.
var binarySets = map[string]binaries.Set{
	"integration": binaries.Integration, "cluster": binaries.Cluster, "": binaries.All,
}

func binariesCommand(out, progress io.Writer) *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "binaries",
		Short: "Build the programs of the cluster, and print the directory that has them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, ok := binarySets[only]
			if !ok {
				return fmt.Errorf("--only %s: it takes integration or cluster", only)
			}
			cache, err := places.Cache()
			if err != nil {
				return err
			}
			builder := binaries.NewBuilder(cache, progress)
			if set > binaries.Integration && len(builder.Missing(set)) > 0 { // runc is linked with a library of this machine
				if err := prerequisites.Ensure(cmd.Context(), progress); err != nil {
					return err
				}
			}
			dir, err := builder.Build(cmd.Context(), set)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(out, dir)
			return err
		},
	}
	cmd.Flags().StringVar(&only, "only", "",
		"integration: etcd, kube-apiserver and kubectl alone, as KUBEBUILDER_ASSETS wants them; cluster: what up runs")
	return cmd
}
