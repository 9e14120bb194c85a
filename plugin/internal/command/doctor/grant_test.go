// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestWithAsEveryCheckIsAboutThatUser(t *testing.T) {
	for as, flag := range map[string]string{
		"jane": "--user=jane", "system:serviceaccount:team:bot": "--serviceaccount=team:bot",
	} {
		none := func(string, string) bool { return false }
		found, report, _ := runDoctorAs(t, as, none) // the fake API server grants nothing
		for _, check := range []string{checkPermissions, checkStreams} {
			f := found[check]
			if f.Status != Failed || !strings.Contains(f.Message, "in namespace default "+as+" may not ") ||
				!strings.Contains(f.Cure, flag) {
				t.Errorf("%s as %s: %+v", check, as, f)
			}
		}
		all := func(string, string) bool { return true }
		_, hidden, _ := runDoctorAs(t, as, all, coreOnlyOperator())
		for _, finding := range hidden.Findings {
			if finding.Status == Unknown && !strings.Contains(finding.Message, as+" may not ") {
				t.Errorf("as %s: %+v", as, finding)
			}
		}
		for _, r := range []Report{report, hidden} {
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range []string{"you ", "your ", "YOU", "clusterrole=edit"} {
				if strings.Contains(string(text), wrong) {
					t.Errorf("as %s it says %q: %s", as, wrong, text)
				}
			}
		}
	}
}

func TestWithoutAsTheCureNamesTheUserWhomTheAPIServerKnows(t *testing.T) {
	client := fake.NewClientset()
	c := &cluster{kubernetes: client}
	if got := c.subjectFlag(t.Context()); got != "--user=USER" || c.subject() != "you" {
		t.Errorf("of a user without a name: %s, %s", got, c.subject())
	}
	client.PrependReactor("create", "selfsubjectreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
		review := &authenticationv1.SelfSubjectReview{}
		review.Status.UserInfo.Username = "ann"
		return true, review, nil
	})
	if got := c.subjectFlag(t.Context()); got != "--user=ann" {
		t.Error(got)
	}
}

func TestTheCureIsTheSmallestRole(t *testing.T) {
	need := func(group, resource, subresource string, verbs ...string) []*authorizationv1.ResourceAttributes {
		var all []*authorizationv1.ResourceAttributes
		for _, verb := range verbs {
			all = append(all, &authorizationv1.ResourceAttributes{
				Group: group, Resource: resource, Subresource: subresource, Verb: verb,
			})
		}
		return all
	}
	const bind = "kubectl create rolebinding NAME -n team "
	ours := need("agents.x-k8s.io", "sandboxes", "", "get", "list")
	changes := need("extensions.agents.x-k8s.io", "sandboxclaims", "", "create", "delete")
	pods := need("", "pods", "", "get", "list", "watch")
	exec := slices.Concat(need("", "pods", "exec", "get", "create"), need("", "pods", "portforward", "get", "create"))
	volumes := need("", "persistentvolumeclaims", "", "delete")
	for name, tt := range map[string]struct {
		lacking []*authorizationv1.ResourceAttributes
		want    []string
	}{
		"reading our kinds":       {ours, []string{bind + "--clusterrole=agent-sandbox-view --user=jane"}},
		"changing our kinds":      {changes, []string{bind + "--clusterrole=agent-sandbox-edit --user=jane"}},
		"reading Pods":            {pods, []string{bind + "--clusterrole=view --user=jane"}},
		"view includes our kinds": {slices.Concat(ours, pods), []string{bind + "--clusterrole=view --user=jane"}},
		"streams": {exec, []string{
			"kubectl create role kubectl-sandbox -n team --verb=get,create --resource=pods/exec,pods/portforward",
			bind + "--role=kubectl-sandbox --user=jane",
		}},
		"streams and volumes": {slices.Concat(exec, volumes), []string{
			"kubectl create role kubectl-sandbox -n team --verb=get,create --resource=pods/exec,pods/portforward",
			bind + "--role=kubectl-sandbox --user=jane",
			"kubectl create role kubectl-sandbox-2 -n team --verb=delete --resource=persistentvolumeclaims",
			bind + "--role=kubectl-sandbox-2 --user=jane",
		}},
		"all of it": {slices.Concat(ours, changes, pods, volumes), []string{
			bind + "--clusterrole=agent-sandbox-edit --user=jane", bind + "--clusterrole=view --user=jane",
			"kubectl create role kubectl-sandbox -n team --verb=delete --resource=persistentvolumeclaims",
			bind + "--role=kubectl-sandbox --user=jane",
		}},
	} {
		c := &cluster{impersonated: "jane", namespace: "team"}
		if got := c.grant(t.Context(), tt.lacking); got != strings.Join(tt.want, "; ") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

func TestARouterIsNotOKIfTheOperatorsFlagsCannotBeRead(t *testing.T) {
	router := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "agent-sandbox-system", Name: "sandbox-router-deployment",
			Labels: map[string]string{"app": "sandbox-router", "app.kubernetes.io/part-of": "agent-sandbox"},
		},
		Spec:   appsv1.DeploymentSpec{Replicas: new(int32(1))},
		Status: appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1},
	}
	hidden := func(verb, resource string) bool { return verb == "get" && resource == "deployments" }
	found, _, _ := runDoctor(t, hidden, router, coreOnlyOperator())
	if f := found[checkRouter]; f.Status != Unknown || !strings.Contains(f.Message, "may not read the operator's flags") {
		t.Errorf("%+v", f)
	}
}
