// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"
)

// policyRow is what a policy says to the hardened template with a change.
type policyRow struct {
	Name        string
	Replace, By string
	// Sandbox asks about a Sandbox with the Pod of the template.
	Sandbox bool
	// Says is the beginning of the refusal, or empty if the object is accepted.
	Says string
	// Gatekeeper is for tools/examples.
	Gatekeeper string
}

// policyFiles are the ValidatingAdmissionPolicies by their names.
var policyFiles = map[string]string{
	"sandbox-no-api-token":      "policy/automount-token.yaml",
	"sandbox-secure-by-default": "policy/secure-by-default.yaml",
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func policyRows(t *testing.T) map[string][]policyRow {
	t.Helper()
	var rows map[string][]policyRow
	if err := yaml.UnmarshalStrict([]byte(readFile(t, "testdata/policies.yaml")), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// object returns the hardened template as the row changes it.
func (row *policyRow) object(t *testing.T) string {
	t.Helper()
	text := readFile(t, filepath.Join(root, "templates/hardened.yaml"))
	if row.Replace != "" {
		if strings.Count(text, row.Replace) != 1 {
			t.Fatalf("%q is not exactly once in the hardened template", row.Replace)
		}
		text = strings.Replace(text, row.Replace, row.By, 1)
	}
	if !row.Sandbox {
		return text
	}
	var template struct{ Spec struct{ PodTemplate any } }
	if err := yaml.Unmarshal([]byte(text), &template); err != nil {
		t.Fatal(err)
	}
	sandbox, err := yaml.Marshal(map[string]any{
		"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "metadata": map[string]any{"name": "hardened"},
		"spec": map[string]any{"podTemplate": template.Spec.PodTemplate},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(sandbox)
}

// putInForce applies a policy to one namespace, and returns when the API server enforces it. The caller removes it.
func putInForce(t *testing.T, policy, namespace string, refused *policyRow) (remove func()) {
	t.Helper()
	text := readFile(t, filepath.Join(root, policyFiles[policy]))
	here := strings.Replace(text, "operator: NotIn, values: [kube-system]", "operator: In, values: ["+namespace+"]", 1)
	if here == text {
		t.Fatalf("%s does not select its namespaces as this test expects", policyFiles[policy])
	}
	if _, stderr, err := server.Kubectl(t, here, "apply", "--filename", "-"); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	object := refused.object(t)
	err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 2*time.Minute, true,
		func(context.Context) (bool, error) {
			_, _, err := ask(t, namespace, object)
			return err != nil, nil
		})
	if err != nil {
		t.Fatalf("the API server does not enforce %s: %v", policy, err)
	}
	return func() {
		if _, stderr, err := server.Kubectl(t, "", "delete", "validatingadmissionpolicybinding/"+policy,
			"validatingadmissionpolicy/"+policy); err != nil {
			t.Errorf("%v\n%s", err, stderr)
		}
	}
}

func ask(t *testing.T, namespace, object string) (stdout, stderr string, err error) {
	t.Helper()
	return server.Kubectl(t, object, "create", "--dry-run=server", "--validate=strict", "--namespace", namespace,
		"--filename", "-")
}

func TestTheAdmissionPoliciesAcceptAndRefuseWhatTheySay(t *testing.T) {
	all := policyRows(t)
	if names := slices.Sorted(maps.Keys(all)); !slices.Equal(names, slices.Sorted(maps.Keys(policyFiles))) {
		t.Fatalf("testdata/policies.yaml has rows for %q", names)
	}
	for policy, rows := range all {
		t.Run(policy, func(t *testing.T) {
			namespace := server.Namespace(t)
			refused := slices.IndexFunc(rows, func(row policyRow) bool { return row.Says != "" })
			defer putInForce(t, policy, namespace, &rows[refused])()
			for _, row := range rows {
				t.Run(row.Name, func(t *testing.T) {
					stdout, stderr, err := ask(t, namespace, row.object(t))
					switch {
					case row.Says == "" && err != nil:
						t.Errorf("it is refused: %s", stderr)
					case row.Says != "" && (err == nil || !strings.Contains(stderr, "denied request: "+row.Says)):
						t.Errorf("want %q: %v\n%s%s", row.Says, err, stdout, stderr)
					}
				})
			}
		})
	}
}

// runtimeClasses matches the RuntimeClasses in manifests and commands, also those in comments, and in patches.
var runtimeClasses = regexp.MustCompile(
	`(?:runtimeClassName:|--runtime-class|kind: RuntimeClass\nmetadata:\n  name:|runtimeClassName\n +value:) ?([a-z][a-z-]*)`)

func TestThePolicyAcceptsTheRuntimeClassesOfTheGuidesAndExamples(t *testing.T) {
	texts := []string{readFile(t, filepath.Join(root, "../docs/guides/gvisor-and-kata.md"))}
	for _, name := range files(t) {
		texts = append(texts, readFile(t, filepath.Join(root, name)))
	}
	var named []string
	for _, text := range texts {
		for _, match := range runtimeClasses.FindAllStringSubmatch(text, -1) {
			named = append(named, match[1])
		}
	}
	slices.Sort(named)
	accepted := []string{"gvisor"} // by the first row
	for _, row := range policyRows(t)["sandbox-secure-by-default"] {
		if class, is := strings.CutPrefix(row.By, "runtimeClassName: "); is && row.Says == "" {
			accepted = append(accepted, class)
		}
	}
	slices.Sort(accepted)
	if named = slices.Compact(named); !slices.Equal(named, accepted) {
		t.Errorf("guides and examples name %q, and testdata/policies.yaml has rows that accept %q", named, accepted)
	}
}
