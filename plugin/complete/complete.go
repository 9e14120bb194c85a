// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package complete completes what users type with what the cluster has. It never fails: without a cluster there is nothing
// to suggest.
package complete

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
	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// patience is how long a user waits for a suggestion.
const patience = 2 * time.Second

// most is how many names are asked for: nobody reads more.
const most = 500

// Func completes an argument or the value of a flag.
type Func = cobra.CompletionFunc

// suggest makes a Func of one that lists names. Only those that begin as the user began are suggested.
func suggest(list func(ctx context.Context, args []string, begun string) []string) Func {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		names := list(ctx, args, begun)
		names = slices.DeleteFunc(names, func(name string) bool {
			return !strings.HasPrefix(name, begun) || slices.Contains(args, name)
		})
		slices.Sort(names)
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// One completes the first argument only.
func One(complete Func) Func {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, begun)
	}
}

// Sandboxes completes the names of claims and Sandboxes: bare, or after "claim/" or "sandbox/".
func Sandboxes(f factory.Factory) Func {
	return suggest(func(ctx context.Context, _ []string, begun string) []string {
		a, err := access.Open(f)
		if err != nil {
			return nil
		}
		kind, prefix := resolve.KindAny, ""
		if word, _, found := strings.Cut(begun, "/"); found {
			ref, err := resolve.Parse(word + "/x")
			if err != nil {
				return nil
			}
			kind, prefix = ref.Kind, word+"/"
		}
		var names []string
		if kind == resolve.KindAny || kind == resolve.KindClaim {
			if list, err := a.Sandboxes.ExtensionsV1beta1().SandboxClaims(a.Namespace).List(ctx, metav1.ListOptions{Limit: most}); err == nil {
				for i := range list.Items {
					names = append(names, prefix+list.Items[i].Name)
				}
			}
		}
		if kind == resolve.KindAny || kind == resolve.KindSandbox {
			if list, err := a.Sandboxes.AgentsV1beta1().Sandboxes(a.Namespace).List(ctx, metav1.ListOptions{Limit: most}); err == nil {
				for i := range list.Items {
					if kind == resolve.KindSandbox || metav1.GetControllerOf(&list.Items[i]) == nil {
						names = append(names, prefix+list.Items[i].Name)
					}
				}
			}
		}
		return names
	})
}

// Namespaces completes the names of namespaces.
func Namespaces(f factory.Factory) Func {
	return listed(f, func(a *access.Access) lister[*corev1.NamespaceList] { return a.Kubernetes.CoreV1().Namespaces().List })
}

// Pools completes the names of pools.
func Pools(f factory.Factory) Func {
	return listed(f, func(a *access.Access) lister[*extensionsv1beta1.SandboxWarmPoolList] {
		return a.Sandboxes.ExtensionsV1beta1().SandboxWarmPools(a.Namespace).List
	})
}

// Templates completes the names of templates.
func Templates(f factory.Factory) Func {
	return listed(f, func(a *access.Access) lister[*extensionsv1beta1.SandboxTemplateList] {
		return a.Sandboxes.ExtensionsV1beta1().SandboxTemplates(a.Namespace).List
	})
}

// lister is a client's List for one kind.
type lister[L runtime.Object] func(context.Context, metav1.ListOptions) (L, error)

// listed completes the names of the objects of one kind.
func listed[L runtime.Object](f factory.Factory, list func(*access.Access) lister[L]) Func {
	return suggest(func(ctx context.Context, _ []string, _ string) []string {
		a, err := access.Open(f)
		if err != nil {
			return nil
		}
		objects, err := list(a)(ctx, metav1.ListOptions{Limit: most})
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

// Containers completes the names of the containers of the sandbox that the first argument names.
func Containers(f factory.Factory) Func {
	return suggest(func(ctx context.Context, args []string, _ string) []string {
		if len(args) == 0 {
			return nil
		}
		ref, err := resolve.Parse(args[0])
		if err != nil {
			return nil
		}
		a, err := access.Open(f)
		if err != nil {
			return nil
		}
		t, err := a.Resolver.Objects(ctx, a.Namespace, ref)
		if err != nil || t.Pod == nil {
			return nil
		}
		return resolve.Containers(t.Pod)
	})
}

// Register completes the names of those commands that take names and do not complete them themselves, and the values of
// flags. A command that makes something takes a name that is not there yet, and nothing that we take is a file, but for cp.
func Register(root *cobra.Command, f factory.Factory) {
	if root.PersistentFlags().Lookup("namespace") != nil {
		_ = root.RegisterFlagCompletionFunc("namespace", Namespaces(f)) // fails only for a flag that does not exist
	}
	kubeconfig(root, f)
	flags(root, f)
	for _, cmd := range root.Commands() {
		arguments(cmd, f)
	}
}

func arguments(cmd *cobra.Command, f factory.Factory) {
	for _, child := range cmd.Commands() {
		arguments(child, f)
	}
	words := strings.Fields(cmd.Use)
	if cmd.ValidArgsFunction != nil || len(cmd.ValidArgs) > 0 || cmd.HasSubCommands() {
		return
	}
	switch {
	case words[0] == "create" || len(words) < 2:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	case strings.Contains(cmd.Use, "NAME..."):
		cmd.ValidArgsFunction = Sandboxes(f)
	case strings.HasPrefix(words[1], "NAME") || strings.HasPrefix(words[1], "[NAME"):
		cmd.ValidArgsFunction = One(Sandboxes(f))
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}
