// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package complete

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// words are the flags whose values are words, by their names, wherever they are.
func words() map[string][]string {
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

// flags completes the values of all flags of the command, and of those below it, that have some.
func flags(cmd *cobra.Command, f factory.Factory) {
	for name, values := range words() {
		register(cmd, name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	formats := []string{"json", "yaml"}
	if cmd.Flags().Lookup("template") != nil || cmd.Flags().Lookup("show-managed-fields") != nil {
		formats = append(formats, "name", "jsonpath=", "go-template=")
	}
	if cmd.Flags().Lookup("no-headers") != nil {
		formats = append(formats, "wide", "custom-columns=")
	}
	register(cmd, "output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	register(cmd, "runtime-class", RuntimeClasses(f))
	register(cmd, "service-account", ServiceAccounts(f))
	for _, child := range cmd.Commands() {
		flags(child, f)
	}
}

// register completes a flag that the command has and nobody completes yet.
func register(cmd *cobra.Command, name string, complete Func) {
	if flag := cmd.Flags().Lookup(name); flag == nil && cmd.PersistentFlags().Lookup(name) == nil {
		return
	}
	if _, taken := cmd.GetFlagCompletionFunc(name); !taken {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails only for a flag that does not exist
	}
}

// kubeconfig completes the flags that name something in the kubeconfig.
func kubeconfig(root *cobra.Command, f factory.Factory) {
	file, ok := f.(interface{ Kubeconfig() (api.Config, error) })
	if !ok {
		return
	}
	for name, keys := range map[string]func(*api.Config) []string{
		"context": func(c *api.Config) []string { return slices.Collect(maps.Keys(c.Contexts)) },
		"cluster": func(c *api.Config) []string { return slices.Collect(maps.Keys(c.Clusters)) },
		"user":    func(c *api.Config) []string { return slices.Collect(maps.Keys(c.AuthInfos)) },
	} {
		register(root, name, suggest(func(context.Context, []string, string) []string {
			config, err := file.Kubeconfig()
			if err != nil {
				return nil
			}
			return keys(&config)
		}))
	}
}

// RuntimeClasses completes the names of RuntimeClasses.
func RuntimeClasses(f factory.Factory) Func {
	return listed(f, func(a *access.Access) lister[*nodev1.RuntimeClassList] {
		return a.Kubernetes.NodeV1().RuntimeClasses().List
	})
}

// ServiceAccounts completes the names of ServiceAccounts.
func ServiceAccounts(f factory.Factory) Func {
	return listed(f, func(a *access.Access) lister[*corev1.ServiceAccountList] {
		return a.Kubernetes.CoreV1().ServiceAccounts(a.Namespace).List
	})
}

// Ports completes the ports of the sandbox that the first argument names: their numbers, or their names as a user begins one.
func Ports(f factory.Factory) Func {
	return suggest(func(ctx context.Context, args []string, _ string) []string {
		ref, err := resolve.Parse(args[0])
		if err != nil {
			return nil
		}
		a, err := access.Open(f)
		if err != nil {
			return nil
		}
		t, err := a.Resolver.ClaimAndSandbox(ctx, a.Namespace, ref)
		if err != nil || t.Sandbox == nil {
			return nil
		}
		var ports []string
		for i := range t.Sandbox.Spec.PodTemplate.Spec.Containers {
			for _, port := range t.Sandbox.Spec.PodTemplate.Spec.Containers[i].Ports {
				ports = append(ports, strconv.Itoa(int(port.ContainerPort)))
				if port.Name != "" {
					ports = append(ports, port.Name)
				}
			}
		}
		return ports
	})
}

// Then completes the first argument with one function, and all that follow with another.
func Then(first, others Func) Func {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(cmd, args, begun)
		}
		return others(cmd, args, begun)
	}
}
