// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// completionTimeout is how long the shell waits for suggestions.
const completionTimeout = 2 * time.Second

// maxCompletions limits how many names are listed.
const maxCompletions = 500

// CompletionFunc completes an argument or the value of a flag.
type CompletionFunc = cobra.CompletionFunc

// newCompletion returns a CompletionFunc that suggests the listed names with the typed prefix, without those that are
// already arguments.
func newCompletion(list func(ctx context.Context, args []string, prefix string) []string) CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, completionTimeout)
		defer cancel()
		names := list(ctx, args, prefix)
		names = slices.DeleteFunc(names, func(name string) bool {
			return !strings.HasPrefix(name, prefix) || slices.Contains(args, name)
		})
		slices.Sort(names)
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteFirstArg completes only the first argument.
func CompleteFirstArg(complete CompletionFunc) CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, prefix)
	}
}

// CompleteSandboxes completes the names of claims and Sandboxes: bare, or after "claim/" or "sandbox/". Bare names
// leave out Sandboxes that have an owner.
func CompleteSandboxes(f factory.Factory) CompletionFunc {
	return newCompletion(func(ctx context.Context, _ []string, prefix string) []string {
		clients, err := factory.NewClients(f)
		if err != nil {
			return nil
		}
		kind, kindPrefix := resolve.KindAny, ""
		if word, _, found := strings.Cut(prefix, "/"); found {
			ref, err := resolve.Parse(word + "/x")
			if err != nil {
				return nil
			}
			kind, kindPrefix = ref.Kind, word+"/"
		}
		var names []string
		if kind == resolve.KindAny || kind == resolve.KindClaim {
			if list, err := clients.Sandboxes.ExtensionsV1beta1().SandboxClaims(clients.Namespace).List(ctx,
				metav1.ListOptions{Limit: maxCompletions}); err == nil {
				for i := range list.Items {
					names = append(names, kindPrefix+list.Items[i].Name)
				}
			}
		}
		if kind == resolve.KindAny || kind == resolve.KindSandbox {
			if list, err := clients.Sandboxes.AgentsV1beta1().Sandboxes(clients.Namespace).List(ctx,
				metav1.ListOptions{Limit: maxCompletions}); err == nil {
				for i := range list.Items {
					if kind == resolve.KindSandbox || metav1.GetControllerOf(&list.Items[i]) == nil {
						names = append(names, kindPrefix+list.Items[i].Name)
					}
				}
			}
		}
		return names
	})
}

// completeNamespaces completes the names of namespaces.
func completeNamespaces(f factory.Factory) CompletionFunc {
	return completeObjects(f, func(clients *factory.Clients) listFunc[*corev1.NamespaceList] {
		return clients.Kubernetes.CoreV1().Namespaces().List
	})
}

// CompletePools completes the names of pools.
func CompletePools(f factory.Factory) CompletionFunc {
	return completeObjects(f, func(clients *factory.Clients) listFunc[*extensionsv1beta1.SandboxWarmPoolList] {
		return clients.Sandboxes.ExtensionsV1beta1().SandboxWarmPools(clients.Namespace).List
	})
}

// CompleteTemplates completes the names of templates.
func CompleteTemplates(f factory.Factory) CompletionFunc {
	return completeObjects(f, func(clients *factory.Clients) listFunc[*extensionsv1beta1.SandboxTemplateList] {
		return clients.Sandboxes.ExtensionsV1beta1().SandboxTemplates(clients.Namespace).List
	})
}

// listFunc lists the objects of one kind, as the method List of a client does.
type listFunc[L runtime.Object] func(context.Context, metav1.ListOptions) (L, error)

// completeObjects completes the names of the objects of one kind.
func completeObjects[L runtime.Object](f factory.Factory, list func(*factory.Clients) listFunc[L]) CompletionFunc {
	return newCompletion(func(ctx context.Context, _ []string, _ string) []string {
		clients, err := factory.NewClients(f)
		if err != nil {
			return nil
		}
		objects, err := list(clients)(ctx, metav1.ListOptions{Limit: maxCompletions})
		if err != nil {
			return nil
		}
		var names []string
		_ = meta.EachListItem(objects, func(o runtime.Object) error { // a list of a typed client has objects
			if object, is := o.(metav1.Object); is {
				names = append(names, object.GetName())
			}
			return nil
		})
		return names
	})
}

// CompleteContainers completes the names of the containers of the sandbox that the first argument names.
func CompleteContainers(f factory.Factory) CompletionFunc {
	return newCompletion(func(ctx context.Context, args []string, _ string) []string {
		if len(args) == 0 {
			return nil
		}
		ref, err := resolve.Parse(args[0])
		if err != nil {
			return nil
		}
		clients, err := factory.NewClients(f)
		if err != nil {
			return nil
		}
		target, err := clients.Resolver.Objects(ctx, clients.Namespace, ref)
		if err != nil || target.Pod == nil {
			return nil
		}
		return resolve.Containers(target.Pod)
	})
}

// RegisterCompletions adds completion to the flags and arguments of the commands below root. It skips arguments that
// have a completion already, and those of commands that create something, because they take a new name.
func RegisterCompletions(root *cobra.Command, f factory.Factory) {
	if root.PersistentFlags().Lookup("namespace") != nil {
		_ = root.RegisterFlagCompletionFunc("namespace", completeNamespaces(f)) // it fails only for an unknown flag
	}
	registerKubeconfigCompletions(root, f)
	registerFlagCompletions(root, f)
	for _, cmd := range root.Commands() {
		registerArgumentCompletions(cmd, f)
	}
}

// registerArgumentCompletions adds completion of arguments to a command and those below it, according to its usage
// line.
func registerArgumentCompletions(cmd *cobra.Command, f factory.Factory) {
	for _, child := range cmd.Commands() {
		registerArgumentCompletions(child, f)
	}
	words := strings.Fields(cmd.Use)
	if cmd.ValidArgsFunction != nil || len(cmd.ValidArgs) > 0 || cmd.HasSubCommands() {
		return
	}
	switch {
	case words[0] == "create" || len(words) < 2:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	case strings.Contains(cmd.Use, "NAME..."):
		cmd.ValidArgsFunction = CompleteSandboxes(f)
	case strings.HasPrefix(words[1], "NAME") || strings.HasPrefix(words[1], "[NAME"):
		cmd.ValidArgsFunction = CompleteFirstArg(CompleteSandboxes(f))
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}
