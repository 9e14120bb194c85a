// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// enumFlagValues returns the values of the flags that take one of a few words, by the name of the flag.
func enumFlagValues() map[string][]string {
	policies := []string{"Disallowed", "Allowed", "Overrides"}
	return map[string][]string{
		"color":           {factory.ColorAuto, factory.ColorAlways, factory.ColorNever},
		"shutdown-policy": {"Retain", "Delete", "DeleteForeground"},
		"restart":         {"Always", "OnFailure", "Never"},
		"update-strategy": {"OnReplenish", "Recreate"},
		"env-policy":      policies,
		"volume-policy":   policies,
		"sort-by":         {".metadata.name", ".metadata.creationTimestamp"},
	}
}

// registerFlagCompletions completes the flags of a command and of those below it.
func registerFlagCompletions(cmd *cobra.Command, f factory.Factory) {
	for name, values := range enumFlagValues() {
		registerFlagCompletion(cmd, name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	formats := []string{"json", "yaml"}
	if cmd.Flags().Lookup("template") != nil || cmd.Flags().Lookup("show-managed-fields") != nil {
		formats = append(formats, "name", "jsonpath=", "go-template=")
	}
	if cmd.Flags().Lookup("no-headers") != nil {
		formats = append(formats, "wide", "custom-columns=")
	}
	registerFlagCompletion(cmd, "output", cobra.FixedCompletions(formats,
		cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	registerFlagCompletion(cmd, "runtime-class", completeRuntimeClasses(f))
	for _, name := range []string{"service-account", "as-service-account"} {
		registerFlagCompletion(cmd, name, completeServiceAccounts(f))
	}
	for _, child := range cmd.Commands() {
		registerFlagCompletions(child, f)
	}
}

// registerFlagCompletion completes a flag, if the command has it and nothing completes it yet.
func registerFlagCompletion(cmd *cobra.Command, name string, complete CompletionFunc) {
	if flag := cmd.Flags().Lookup(name); flag == nil && cmd.PersistentFlags().Lookup(name) == nil {
		return
	}
	if _, taken := cmd.GetFlagCompletionFunc(name); !taken {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // it fails only for an unknown flag
	}
}

// registerKubeconfigCompletions completes the flags that name an entry of the kubeconfig.
func registerKubeconfigCompletions(root *cobra.Command, f factory.Factory) {
	file, ok := f.(interface{ Kubeconfig() (api.Config, error) })
	if !ok {
		return
	}
	for name, keys := range map[string]func(*api.Config) []string{
		"context": func(c *api.Config) []string { return slices.Collect(maps.Keys(c.Contexts)) },
		"cluster": func(c *api.Config) []string { return slices.Collect(maps.Keys(c.Clusters)) },
		"user":    func(c *api.Config) []string { return slices.Collect(maps.Keys(c.AuthInfos)) },
	} {
		registerFlagCompletion(root, name, newCompletion(func(context.Context, []string, string) []string {
			config, err := file.Kubeconfig()
			if err != nil {
				return nil
			}
			return keys(&config)
		}))
	}
}

// completeRuntimeClasses completes the names of RuntimeClasses.
func completeRuntimeClasses(f factory.Factory) CompletionFunc {
	return completeObjects(f, func(clients *factory.Clients) listFunc[*nodev1.RuntimeClassList] {
		return clients.Kubernetes.NodeV1().RuntimeClasses().List
	})
}

// completeServiceAccounts completes the names of ServiceAccounts.
func completeServiceAccounts(f factory.Factory) CompletionFunc {
	return completeObjects(f, func(clients *factory.Clients) listFunc[*corev1.ServiceAccountList] {
		return clients.Kubernetes.CoreV1().ServiceAccounts(clients.Namespace).List
	})
}

// CompletePorts completes the ports of the sandbox that the first argument names, as numbers and as names.
func CompletePorts(f factory.Factory) CompletionFunc {
	return newCompletion(func(ctx context.Context, args []string, _ string) []string {
		ref, err := resolve.Parse(args[0])
		if err != nil {
			return nil
		}
		clients, err := factory.NewClients(f)
		if err != nil {
			return nil
		}
		target, err := clients.Resolver.ClaimAndSandbox(ctx, clients.Namespace, ref)
		if err != nil || target.Sandbox == nil {
			return nil
		}
		var ports []string
		for i := range target.Sandbox.Spec.PodTemplate.Spec.Containers {
			for _, port := range target.Sandbox.Spec.PodTemplate.Spec.Containers[i].Ports {
				ports = append(ports, strconv.Itoa(int(port.ContainerPort)))
				if port.Name != "" {
					ports = append(ports, port.Name)
				}
			}
		}
		return ports
	})
}

// CompleteFirstThenRest completes the first argument with one function and the others with another.
func CompleteFirstThenRest(first, others CompletionFunc) CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(cmd, args, prefix)
		}
		return others(cmd, args, prefix)
	}
}
