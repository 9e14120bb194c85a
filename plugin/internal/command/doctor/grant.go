// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// subject returns whom the checks are about: you, or the user of --as.
func (c *cluster) subject() string { return cmp.Or(c.impersonated, "you") }

// subjectFlag returns the flag with which a RoleBinding names the user.
func (c *cluster) subjectFlag(ctx context.Context) string {
	name := c.impersonated
	if name == "" {
		review, err := c.kubernetes.AuthenticationV1().SelfSubjectReviews().Create(
			ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err == nil {
			name = review.Status.UserInfo.Username
		}
	}
	if account, found := strings.CutPrefix(name, "system:serviceaccount:"); found {
		return "--serviceaccount=" + account
	}
	return "--user=" + cmp.Or(name, "USER")
}

// role is a role that grants permissions. For a new one, create has the flags of kubectl create role.
type role struct{ name, create string }

// grant returns the commands that give the user what is lacking, and as little else as possible.
func (c *cluster) grant(ctx context.Context, lacking []*authorizationv1.ResourceAttributes) string {
	who := c.subjectFlag(ctx)
	var commands []string
	for _, r := range smallestRoles(lacking) {
		flag := "--clusterrole="
		if r.create != "" {
			flag = "--role="
			commands = append(commands, fmt.Sprintf("kubectl create role %s -n %s %s", r.name, c.namespace, r.create))
		}
		commands = append(commands, fmt.Sprintf("kubectl create rolebinding NAME -n %s %s%s %s",
			c.namespace, flag, r.name, who))
	}
	return strings.Join(commands, "; ")
}

// smallestRoles returns roles that together grant the permissions: the installation's ClusterRoles for our own kinds,
// view for what it lets everybody read, and new Roles for the rest.
func smallestRoles(lacking []*authorizationv1.ResourceAttributes) []role {
	var roles []role
	add := func(name string) {
		if r := (role{name: name}); !slices.Contains(roles, r) {
			roles = append(roles, r)
		}
	}
	verbs := map[string][]string{} // of what no existing role grants, by resource
	var order []string
	for _, attributes := range lacking {
		ours := attributes.Group == apis.GroupAgents || attributes.Group == apis.GroupExtensions
		reads := slices.Contains([]string{"get", "list", "watch"}, attributes.Verb)
		stream := slices.Contains([]string{"exec", "attach", "portforward"}, attributes.Subresource)
		switch resource := resourceText(attributes); {
		case ours && reads:
			add("agent-sandbox-view")
		case ours:
			add("agent-sandbox-edit")
		case reads && !stream:
			add("view")
		default:
			if verbs[resource] == nil {
				order = append(order, resource)
			}
			verbs[resource] = append(verbs[resource], attributes.Verb)
		}
	}
	if slices.Contains(roles, role{name: "view"}) { // it includes the other
		roles = slices.DeleteFunc(roles, func(r role) bool { return r.name == "agent-sandbox-view" })
	}
	return append(roles, newRoles(verbs, order)...)
}

// newRoles returns one Role for all resources with the same verbs.
func newRoles(verbs map[string][]string, order []string) []role {
	resources := map[string][]string{}
	var sets []string
	for _, resource := range order {
		set := strings.Join(verbs[resource], ",")
		if resources[set] == nil {
			sets = append(sets, set)
		}
		resources[set] = append(resources[set], resource)
	}
	var roles []role
	for i, set := range sets {
		name := "kubectl-sandbox"
		if i > 0 {
			name = fmt.Sprintf("%s-%d", name, i+1)
		}
		roles = append(roles, role{
			name: name, create: fmt.Sprintf("--verb=%s --resource=%s", set, strings.Join(resources[set], ",")),
		})
	}
	return roles
}
