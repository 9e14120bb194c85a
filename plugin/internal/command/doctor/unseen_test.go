// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	factory "github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// runDoctor returns the findings by check, the report and the output on stderr of doctor, for a user without the
// permissions for which forbidden returns true.
func runDoctor(
	t *testing.T, forbidden func(verb, resource string) bool, objects ...runtime.Object,
) (found map[string]Finding, report Report, said string) {
	t.Helper()
	return runDoctorAs(t, "", forbidden, objects...)
}

// runDoctorAs is runDoctor with --as, unless the user is empty.
func runDoctorAs(
	t *testing.T, as string, forbidden func(verb, resource string) bool, objects ...runtime.Object,
) (found map[string]Finding, report Report, said string) {
	t.Helper()
	refuse := func(action clienttesting.Action) (bool, runtime.Object, error) {
		r := action.GetResource()
		if public := r.Resource == "version" || r.Resource == "group"; public || !forbidden(action.GetVerb(), r.Resource) {
			return false, nil, nil
		}
		return true, nil, fakecluster.Forbidden(action.GetVerb(), r.Resource, r.Group)
	}
	client := fake.NewClientset(objects...)
	grantNothing := func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &authorizationv1.SelfSubjectAccessReview{}, nil
	}
	client.PrependReactor("create", "selfsubjectaccessreviews", grantNothing)
	client.PrependReactor("*", "*", refuse)
	kinds := map[schema.GroupVersionResource]string{
		{
			Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
		}: "CustomResourceDefinitionList",
		{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxtemplates"}: "SandboxTemplateList",
		{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxclaims"}:    "SandboxClaimList",
		{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxwarmpools"}: "SandboxWarmPoolList",
	}
	dynamic := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	dynamic.PrependReactor("*", "*", refuse)
	f := &factory.Factory{
		KubernetesClient: client, DynamicClient: dynamic, DiscoveryClient: client.Discovery(),
		Config: &rest.Config{Impersonate: rest.ImpersonationConfig{UserName: as}},
	}
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	failure := (&Options{Output: "json"}).Run(t.Context(), f, streams)
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v: %v, %s", err, failure, out.String())
	}
	if report.Healthy != (failure == nil) {
		t.Errorf("healthy is %v: %v", report.Healthy, failure)
	}
	found = map[string]Finding{}
	for _, finding := range report.Findings {
		found[finding.Check] = finding
	}
	return found, report, errOut.String()
}

// coreOnlyOperator returns the Deployment of an operator without extensions.
func coreOnlyOperator() *appsv1.Deployment {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "agent-sandbox-system", Name: "agent-sandbox-controller",
			Labels: map[string]string{"app": "agent-sandbox-controller"},
		},
	}
	d.Spec.Replicas = new(int32(1))
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "agent-sandbox-controller", Image: "x"}}
	return d
}

func TestWhatMayNotBeReadIsUnknownAndNeverOK(t *testing.T) {
	found, report, said := runDoctor(t, func(string, string) bool { return true }, coreOnlyOperator())
	for check, finding := range found {
		if check == checkKubernetes { // everybody may read the version
			continue
		}
		if finding.Status != Unknown || !strings.Contains(finding.Message, "you may not ") {
			t.Errorf("%s: %+v", check, finding)
		}
		if !strings.Contains(said, check) {
			t.Errorf("%s is not listed: %s", check, said)
		}
	}
	if len(report.Unknown) != len(found)-1 || len(found) != len(names()) {
		t.Errorf("%d unknown of %d: %v", len(report.Unknown), len(found), report.Unknown)
	}
	for check, lacks := range map[string]string{
		checkDefinitions: "get customresourcedefinitions.apiextensions.k8s.io", checkOperator: "get deployments.apps",
		checkStorage:     "list storageclasses.storage.k8s.io",
		checkPermissions: "create selfsubjectaccessreviews.authorization.k8s.io", checkNetworkPolicy: "list daemonsets.apps",
	} {
		if !strings.Contains(found[check].Message, lacks) {
			t.Errorf("%s does not name %q: %s", check, lacks, found[check].Message)
		}
	}
}

func TestAPartThatMayNotBeReadMakesACheckUnknownToo(t *testing.T) {
	tests := map[string]struct {
		verb, resource string
		objects        []runtime.Object
		check, says    string
	}{
		"templates, which may name missing RuntimeClasses": {
			verb: "list", resource: "sandboxtemplates", check: checkRuntimeClasses,
			says: "list sandboxtemplates.extensions.agents.x-k8s.io",
		},
		"claims, which an operator without extensions does not manage": {
			verb: "list", resource: "sandboxclaims", objects: []runtime.Object{coreOnlyOperator()}, check: checkFlags,
			says: "list sandboxclaims.extensions.agents.x-k8s.io",
		},
		"other namespaces, which may have the operator": {
			verb: "list", resource: "deployments", check: checkOperator, says: "list deployments.apps",
		},
		"the Lease": {
			verb: "get", resource: "leases", objects: []runtime.Object{electingOperator()}, check: checkLeader,
			says: "get leases.coordination.k8s.io",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found, _, _ := runDoctor(
				t, func(verb, resource string) bool { return verb == tt.verb && resource == tt.resource },
				tt.objects...)
			if f := found[tt.check]; f.Status != Unknown || !strings.Contains(f.Message, tt.says) {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func electingOperator() *appsv1.Deployment {
	d := coreOnlyOperator()
	d.Spec.Template.Spec.Containers[0].Args = []string{"--leader-elect=true", "--extensions=true"}
	return d
}
