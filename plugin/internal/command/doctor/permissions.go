// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// maxConcurrent is how many access reviews are in flight at the same time.
const maxConcurrent = 8

// commandRules returns the permissions that the commands need in a namespace.
func commandRules() []rbacv1.PolicyRule {
	read, write := []string{"get", "list", "watch"}, []string{"get", "list", "watch", "create", "patch", "delete"}
	return []rbacv1.PolicyRule{
		{APIGroups: []string{apis.GroupAgents}, Resources: []string{"sandboxes"}, Verbs: write},
		{
			APIGroups: []string{apis.GroupExtensions},
			Resources: []string{"sandboxclaims", "sandboxtemplates", "sandboxwarmpools"}, Verbs: write,
		},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: read},
		{APIGroups: []string{""}, Resources: []string{"pods/log"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"get", "list", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"list"}},
	}
}

// streamRules returns the permissions that exec, attach, shell, cp, run and port-forward need: a WebSocket begins with
// a get, SPDY with a create.
func streamRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{
		APIGroups: []string{""},
		Resources: []string{"pods/exec", "pods/attach", "pods/portforward"},
		Verbs:     []string{"get", "create"},
	}}
}

func permissions(ctx context.Context, c *cluster) []Finding {
	rules := commandRules()
	if c.options().CoreOnly {
		rules = slices.DeleteFunc(rules, func(r rbacv1.PolicyRule) bool { return r.APIGroups[0] == apis.GroupExtensions })
	}
	return c.userPermissions(ctx, rules, "the commands")
}

func streamPermissions(ctx context.Context, c *cluster) []Finding {
	return c.userPermissions(ctx, streamRules(), "exec, attach and port-forward")
}

// userPermissions checks the user's permissions in the current namespace. purpose says what they are for.
func (c *cluster) userPermissions(ctx context.Context, rules []rbacv1.PolicyRule, purpose string) []Finding {
	allowed := func(attributes *authorizationv1.ResourceAttributes) (bool, error) {
		review := &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes},
		}
		answer, err := c.kubernetes.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed, err
	}
	lacking, err := reviewAll(attributesOf(rules, c.namespace), allowed)
	switch {
	case err != nil:
		return c.unreadable(err, "the permissions in namespace "+c.namespace)
	case len(lacking) > 0:
		return failed("ask an administrator: "+c.grant(ctx, lacking), "in namespace %s %s may not %s",
			c.namespace, c.subject(), strings.Join(texts(lacking), ", "))
	}
	return ok("in namespace %s %s may do what %s need", c.namespace, c.subject(), purpose)
}

// operatorPermissions checks that the operator has each permission in the manifests, no matter which role grants it.
func operatorPermissions(ctx context.Context, c *cluster) []Finding {
	if c.deployment == nil {
		return c.noOperator()
	}
	account := c.deployment.Spec.Template.Spec.ServiceAccountName
	objects, err := install.Render(c.options())
	if err != nil {
		return failed(c.repairCommand(), "the operator's arguments are invalid: %v", err)
	}
	var all []*authorizationv1.ResourceAttributes
	for _, object := range objects {
		kind := object.GetKind()
		if kind != "Role" && kind != "ClusterRole" || !strings.HasPrefix(object.GetName(), apis.OperatorName) {
			continue
		}
		var role rbacv1.Role
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
			return failed(c.repairCommand(), "%v", err)
		}
		all = append(all, attributesOf(role.Rules, object.GetNamespace())...)
	}
	lacking, err := reviewAll(all, func(attributes *authorizationv1.ResourceAttributes) (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			ResourceAttributes: attributes, User: "system:serviceaccount:" + c.operatorNamespace + ":" + account,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + c.operatorNamespace, "system:authenticated"},
		}}
		answer, err := c.kubernetes.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed, err
	})
	switch {
	case err != nil:
		return c.unreadable(err, "the operator's permissions")
	case len(lacking) > 0:
		return failed(c.repairCommand(), "the operator's ServiceAccount %s/%s may not %s",
			c.operatorNamespace, account, strings.Join(texts(lacking), ", "))
	}
	return ok("the operator has all permissions that it needs")
}

// attributesOf returns the attributes of an access review for each group, resource and verb of the rules.
func attributesOf(rules []rbacv1.PolicyRule, namespace string) []*authorizationv1.ResourceAttributes {
	var all []*authorizationv1.ResourceAttributes
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				plural, subresource, _ := strings.Cut(resource, "/")
				for _, verb := range rule.Verbs {
					all = append(all, &authorizationv1.ResourceAttributes{
						Namespace: namespace, Group: group, Resource: plural, Subresource: subresource, Verb: verb,
						// a rule with names does not allow the verb without a name
						Name: firstName(rule.ResourceNames),
					})
				}
			}
		}
	}
	return all
}

func firstName(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// reviewAll makes the access reviews, several at a time, and returns what is denied. It stops at the first error.
func reviewAll(
	all []*authorizationv1.ResourceAttributes, allowed func(*authorizationv1.ResourceAttributes) (bool, error),
) ([]*authorizationv1.ResourceAttributes, error) {
	var (
		waiting sync.WaitGroup
		mu      sync.Mutex
		failure error
		slots   = make(chan struct{}, maxConcurrent)
		denied  = make([]bool, len(all))
	)
	for i, attributes := range all {
		slots <- struct{}{}
		waiting.Go(func() {
			defer func() { <-slots }()
			mu.Lock()
			stop := failure != nil
			mu.Unlock()
			if stop {
				return
			}
			yes, err := allowed(attributes)
			mu.Lock()
			defer mu.Unlock()
			denied[i] = !yes
			if err != nil && failure == nil {
				failure = err
			}
		})
	}
	waiting.Wait()
	if failure != nil {
		return nil, failure
	}
	var lacking []*authorizationv1.ResourceAttributes
	for i, attributes := range all {
		if denied[i] {
			lacking = append(lacking, attributes)
		}
	}
	return lacking, nil
}

// texts returns permissions in words, as in "create pods/exec", each once.
func texts(all []*authorizationv1.ResourceAttributes) []string {
	var words []string
	for _, attributes := range all {
		if text := attributes.Verb + " " + resourceText(attributes); !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	return words
}

// resourceText returns a resource in words, as in pods/exec or sandboxes.agents.x-k8s.io.
func resourceText(attributes *authorizationv1.ResourceAttributes) string {
	text := attributes.Resource
	if attributes.Subresource != "" {
		text += "/" + attributes.Subresource
	}
	if attributes.Group != "" {
		text += "." + attributes.Group
	}
	return text
}
