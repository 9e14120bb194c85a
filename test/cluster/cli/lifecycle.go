// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/components"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/lifecycle"
)

// defaultName is the default of --name.
const defaultName = "dev"

// maxSimulated is the maximum number of nodes that one kwok simulates.
const maxSimulated = 1000

// withCluster adds --name to a command and makes it run on that cluster.
func withCluster(
	cmd *cobra.Command, progress io.Writer, run func(*cobra.Command, *lifecycle.Cluster, []string) error,
) *cobra.Command {
	var name string
	cmd.Flags().StringVar(&name, "name", defaultName, "name of the cluster, and of its node")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cluster, err := lifecycle.Named(name, progress)
		if err != nil {
			return err
		}
		return run(cmd, cluster, args)
	}
	return cmd
}

func upCommand(progress io.Writer) *cobra.Command {
	var images []string
	var simulated int
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster, or what has ended of it, and wait until it runs Pods",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringSliceVar(&images, "images", []string{"shell", "python"},
		"images to load beside pause: shell, python")
	cmd.Flags().IntVar(&simulated, "simulated-nodes", 0,
		"a control plane and this many nodes that exist in the API alone, for benchmarks; 0 is one real node")
	return withCluster(cmd, progress, func(cmd *cobra.Command, cluster *lifecycle.Cluster, _ []string) error {
		if simulated < 0 || simulated > maxSimulated {
			return fmt.Errorf("--simulated-nodes %d: it takes 0 to %d", simulated, maxSimulated)
		}
		return cluster.Up(cmd.Context(), images, simulated)
	})
}

func downCommand(progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{Use: "down", Short: "End a cluster and remove all that it had", Args: cobra.NoArgs}
	return withCluster(cmd, progress, func(cmd *cobra.Command, cluster *lifecycle.Cluster, _ []string) error {
		return cluster.Down(cmd.Context())
	})
}

func loadCommand(progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use: "load IMAGE.tar...", Short: "Load image archives into a cluster", Args: cobra.MinimumNArgs(1),
	}
	return withCluster(cmd, progress, func(cmd *cobra.Command, cluster *lifecycle.Cluster, args []string) error {
		return cluster.Load(cmd.Context(), args)
	})
}

func kubeconfigCommand(out, progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{Use: "kubeconfig", Short: "Print the path of the administrator's kubeconfig", Args: cobra.NoArgs}
	return withCluster(cmd, progress, func(_ *cobra.Command, cluster *lifecycle.Cluster, _ []string) error {
		if err := cluster.RequireUp(); err != nil {
			return err
		}
		_, err := fmt.Fprintln(out, cluster.Kubeconfig())
		return err
	})
}

func statusCommand(out, progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use: "status", Short: "Say what runs, in which versions; fails if something does not", Args: cobra.NoArgs,
	}
	return withCluster(cmd, progress, func(_ *cobra.Command, cluster *lifecycle.Cluster, _ []string) error {
		return cluster.Status(out)
	})
}

func logsCommand(progress io.Writer) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "logs --to DIR", Short: "Copy the logs of all components and containers into a directory", Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&dir, "to", "", "directory to copy to")
	_ = cmd.MarkFlagRequired("to") // the flag is defined above
	return withCluster(cmd, progress, func(cmd *cobra.Command, cluster *lifecycle.Cluster, _ []string) error {
		return cluster.Logs(cmd.Context(), dir)
	})
}

func killCommand(progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use: "kill COMPONENT", Short: "End a component at once, as a crash would", Args: cobra.ExactArgs(1),
	}
	return withCluster(cmd, progress, func(_ *cobra.Command, cluster *lifecycle.Cluster, args []string) error {
		return cluster.Kill(args[0])
	})
}

func startCommand(progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{Use: "start COMPONENT", Short: "Start a component that was killed", Args: cobra.ExactArgs(1)}
	return withCluster(cmd, progress, func(cmd *cobra.Command, cluster *lifecycle.Cluster, args []string) error {
		return cluster.Start(cmd.Context(), args[0])
	})
}

func restartCommand(progress io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restart-apiserver", Short: "Kill the API server, start it and wait until it is ready", Args: cobra.NoArgs,
	}
	return withCluster(cmd, progress, func(cmd *cobra.Command, cluster *lifecycle.Cluster, _ []string) error {
		if err := cluster.Kill(components.APIServer); err != nil {
			return err
		}
		return cluster.Start(cmd.Context(), components.APIServer)
	})
}
