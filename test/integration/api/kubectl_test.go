// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kubectl runs kubectl, which must succeed, and returns its standard output.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := server.Kubectl(t, "", args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// joinLines replaces white space by single spaces, because explain wraps lines.
func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestExplainShowsOurWords(t *testing.T) {
	tests := map[string][]string{
		"sandbox": {
			"an isolated, stateful Pod with a stable name that can be suspended and resumed",
		},
		"sandbox.spec": {
			"the desired state", "podTemplate", "-required-", "volumeClaimTemplates", "shutdownTime", "shutdownPolicy",
			"replicas", "operatingMode", "service",
		},
		"sandbox.spec.replicas": {"1 for a running Sandbox and 0 for a suspended one"},
		"sandbox.spec.operatingMode": {
			"suspended if operatingMode is Suspended or replicas is 0", "ENUM: Running Suspended",
		},
		"sandbox.spec.shutdownPolicy": {"Delete", "Retain", "kept with its volumes"},
		"sandbox.spec.podTemplate.spec": {
			"the complete specification of the Pod", "takes effect the next time the Sandbox starts",
		},
		"sandbox.spec.volumeClaimTemplates": {"survive suspension and restarts", "Immutable"},
		"sandbox.status.conditions":         {"Ready, Suspended (only while the spec requests suspension) and Finished"},
		"sandboxclaim":                      {"requests one Sandbox: a warm one from a pool"},
		"sandboxclaim.spec.warmpool": {
			"default (any pool; the same as unset), none (the claim gets a new Sandbox), or the name of a pool",
		},
		"sandboxclaim.spec.warmPoolRef.name": {"name of the SandboxWarmPool"},
		"sandboxclaim.spec.env":              {"envVarsInjectionPolicy", "unless it sets warmpool to none"},
		"sandboxclaim.spec.lifecycle": {
			"when the claim expires", "ttlSecondsAfterFinished", "DeleteForeground",
		},
		"sandboxclaim.status.sandbox":                 {"the Sandbox that serves the claim"},
		"sandboxtemplate":                             {"blueprint from which claims and pools create Sandboxes"},
		"sandboxtemplate.spec.networkPolicy":          {"replaces the default rules", "ingress", "egress"},
		"sandboxtemplate.spec.envVarsInjectionPolicy": {"Allowed", "Overrides", "Disallowed"},
		"sandboxwarmpool":                             {"ahead of demand"},
		"sandboxwarmpool.spec.updateStrategy.type": {
			"Recreate (members of an older template are deleted and replaced immediately)",
		},
		"swp.spec.replicas": {"the number of unclaimed Sandboxes that the pool keeps"},
	}
	for field, want := range tests {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			got := joinLines(kubectl(t, "explain", field))
			for _, text := range want {
				if !strings.Contains(got, text) {
					t.Errorf("lacks %q:\n%s", text, got)
				}
			}
		})
	}
}

// kubectl explain shows the first line of a field's Go comment, which must be a sentence that begins with the field.
func TestEachFieldOfOursHasADescriptionThatNamesIt(t *testing.T) {
	standard := regexp.MustCompile(`^(apiVersion|kind|metadata)$`)
	for _, k := range kinds {
		walkSchema(k.storedSchema(t), "", func(path string, s *apiextensionsv1.JSONSchemaProps) {
			if path == "" || standard.MatchString(path) || strings.HasSuffix(path, "{}") || strings.HasSuffix(path, "[]") {
				return
			}
			if s.Description == "" {
				t.Errorf("%s %s has no description", k.name, path)
				return
			}
			field := path[strings.LastIndex(path, ".")+1:]
			if !strings.HasPrefix(s.Description, field+" ") {
				t.Errorf("%s %s: the description does not begin with %q: %s", k.name, path, field, s.Description)
			}
			if !strings.HasSuffix(s.Description, ".") {
				t.Errorf("%s %s: the description is no sentence: %s", k.name, path, s.Description)
			}
		})
	}
}

func TestColumnsAndShortNames(t *testing.T) {
	namespace := server.Namespace(t)
	for k, status := range map[*kind]string{
		&sandbox:  `status: {podIPs: [10.0.0.1, "fd00::1"], nodeName: node-1, conditions: [` + condition("Ready") + `]}`,
		&claim:    `status: {sandbox: {name: box-xyz}, conditions: [` + condition("Ready") + `]}`,
		&pool:     `status: {replicas: 3, readyReplicas: 2}`,
		&template: "",
	} {
		made, err := k.client(t, namespace).Create(t.Context(), k.object(t), strict())
		if err != nil {
			t.Fatal(err)
		}
		if status == "" {
			continue
		}
		if err := change(t, *k, made, status, "status"); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		args         []string
		header, line string
	}{
		"a Sandbox":                   {[]string{"sandbox"}, "NAME READY REASON AGE", "box True Because "},
		"a Sandbox by its short name": {[]string{"sbx"}, "NAME READY REASON AGE", "box True Because "},
		"a Sandbox, wide": {
			[]string{"sandboxes", "-o", "wide"}, "NAME READY REASON AGE POD IPS NODE", `["10.0.0.1","fd00::1"] node-1`,
		},
		"a claim": {
			[]string{"sandboxclaim"}, "NAME READY SANDBOX REASON AGE", "box True box-xyz Because ",
		},
		"a template":               {[]string{"sandboxtemplate"}, "NAME NETWORK POLICY AGE", "box Managed "},
		"a pool":                   {[]string{"sandboxwarmpool"}, "NAME READY DESIRED TEMPLATE AGE", "box 2 1 python "},
		"a pool by its short name": {[]string{"swp"}, "NAME READY DESIRED TEMPLATE AGE", "box 2 1 python "},
		"a pool in the older version": {
			[]string{"sandboxwarmpools.v1alpha1.extensions.agents.x-k8s.io"}, "NAME READY DESIRED TEMPLATE AGE",
			"box 2 1 python ",
		},
		"a Sandbox in the older version": {
			[]string{"sandboxes.v1alpha1.agents.x-k8s.io"}, "NAME READY REASON AGE", "box True Because ",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.Split(strings.TrimSpace(kubectl(t, append([]string{"get", "-n", namespace}, test.args...)...)),
				"\n")
			if len(lines) != 2 || joinLines(lines[0]) != test.header || !strings.Contains(joinLines(lines[1])+" ", test.line) {
				t.Errorf("got\n%s\nwant\n%s\n%s", strings.Join(lines, "\n"), test.header, test.line)
			}
		})
	}
}

func TestKubectlScaleSuspendsAndRefusesMoreThanOne(t *testing.T) {
	namespace := server.Namespace(t)
	client := sandbox.client(t, namespace)
	if _, err := client.Create(t.Context(), sandbox.object(t), strict()); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "scale", "-n", namespace, "sandbox/box", "--replicas=0")
	live, err := client.Get(t.Context(), "box", metav1.GetOptions{})
	if err != nil || fieldJSON(t, live, "spec.replicas") != "0" {
		t.Errorf("replicas is %s, %v", fieldJSON(t, live, "spec.replicas"), err)
	}
	_, stderr, err := server.Kubectl(t, "", "scale", "-n", namespace, "sandbox/box", "--replicas=2")
	if err == nil || !strings.Contains(stderr, "less than or equal to 1") {
		t.Errorf("replicas 2: %v, %s", err, stderr)
	}
}

func TestKubectlApplySaysWhatIsWrong(t *testing.T) {
	const manifest = `
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: box}
spec: {podTemplate: {spec: {containers: [{name: main, image: python}]}}, replica: 1, operatingMode: Paused}`
	namespace := server.Namespace(t)
	_, stderr, err := server.Kubectl(t, manifest, "apply", "-n", namespace, "-f", "-")
	if err == nil || !strings.Contains(stderr, `unknown field "spec.replica"`) {
		t.Errorf("a misspelled field: %v, %s", err, stderr)
	}
	_, stderr, err = server.Kubectl(t, strings.Replace(manifest, "replica: 1, ", "", 1), "apply", "-n", namespace, "-f",
		"-")
	if err == nil || !strings.Contains(stderr, `supported values: "Running", "Suspended"`) {
		t.Errorf("a wrong mode: %v, %s", err, stderr)
	}
}
