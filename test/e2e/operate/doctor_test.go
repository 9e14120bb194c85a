// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package operate tests the tasks of cluster administrators: doctor, upgrade, watching some namespaces, several
// replicas. The tests break the installation and repair it, so they run alone and one after the other.
package operate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

const operatorNamespace = apis.OperatorNamespace

// operator runs a command of the plugin in the operator's namespace.
func operator(h *harness.T, command string, args ...string) string {
	h.Helper()
	return h.Must(append([]string{command, "--namespace", operatorNamespace}, args...)...)
}

// upgrade restores the installation from the manifests, with the tests' image.
func upgrade(h *harness.T) {
	h.Helper()
	operator(h, "upgrade", "--image", harness.RequireEnv("E2E_IMAGE"))
}

// runDoctor returns doctor's finding for each check, and its exit code.
func runDoctor(h *harness.T, args ...string) (map[string]finding, int) {
	h.Helper()
	r := h.Plugin(append([]string{"doctor", "-o", "json"}, args...)...)
	var got report
	if err := json.Unmarshal([]byte(r.Stdout), &got); err != nil {
		h.Fatalf("%v: %v", err, r)
	}
	found := map[string]finding{}
	for _, f := range got.Findings {
		if first, twice := found[f.Check]; !twice || first.Status == statusOK {
			found[f.Check] = f
		}
	}
	if got.Healthy != (r.Code == 0) {
		h.Errorf("healthy is %v: %v", got.Healthy, r)
	}
	return found, r.Code
}

func waitUntilHealthy(h *harness.T) {
	h.Helper()
	h.Eventually("all green", func() error {
		found, _ := runDoctor(h)
		for check, f := range found {
			if f.Status != statusOK && (check != "networkpolicy" || f.Status == statusFailed) {
				return &findingError{f}
			}
		}
		return nil
	})
}

// The outcomes of a check, as doctor -o json spells them.
const (
	statusOK     = "ok"
	statusFailed = "failed"
)

// finding is what a check of doctor found.
type finding struct {
	Check   string `json:"check"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Cure    string `json:"cure"`
}

// report is what doctor -o json prints.
type report struct {
	Healthy  bool      `json:"healthy"`
	Findings []finding `json:"findings"`
}

// findingError is a finding as an error.
type findingError struct{ finding }

func (f *findingError) Error() string { return f.Status + " " + f.Check + ": " + f.Message }

func TestAFreshInstallationIsHealthyForItsUsersToo(t *testing.T) {
	h := harness.New(t)
	waitUntilHealthy(h)
	h.MustKubectl("create", "rolebinding", "jane", "--clusterrole=edit", "--user=jane")
	h.MustKubectl("create", "rolebinding", "vera", "--clusterrole=view", "--user=vera")
	h.Eventually("the built-in role has become one for sandboxes", func() error {
		if found, _ := runDoctor(h, "--as", "jane"); found["permissions"].Status != statusOK ||
			found["exec-permissions"].Status != statusOK {
			return &findingError{found["permissions"]}
		}
		return nil
	})
	found, code := runDoctor(h, "--as", "vera")
	if f := found["permissions"]; code != 1 || f.Status != statusFailed ||
		!strings.Contains(f.Message, "create sandboxes.agents.x-k8s.io") ||
		strings.Contains(f.Message, "list sandboxes") {
		t.Errorf("doctor for a user who may only read: %d, %+v", code, f)
	}
	for _, args := range [][]string{
		{"list", "--as", "vera"}, {"create", "hers", "--image", harness.ImageShell, "--as", "jane", "--wait"},
	} {
		h.Must(args...)
	}
}

func TestDoctorNamesWhatIsBrokenAndTheCureMendsIt(t *testing.T) {
	h := harness.New(t)
	const class = "storageclass.kubernetes.io/is-default-class"
	defaultClass, _, _ := strings.Cut(h.MustKubectl("get", "storageclass", "-o", "name"), "\n")
	deployment := []string{"-n", operatorNamespace, "deployment/" + apis.OperatorName}
	start := func() { h.MustKubectl(append([]string{"scale", "--replicas=1"}, deployment...)...) }
	for _, fault := range []struct {
		name, check, says, cure string
		inflict                 []string
		heal                    func()
	}{
		{
			name: "a role is removed", check: "operator-permissions", says: "create persistentvolumeclaims", cure: "upgrade",
			inflict: []string{"delete", "clusterrole", apis.OperatorName},
		},
		{
			name: "a definition is missing", check: "definitions", says: apis.CRDSandboxWarmPools + " is missing",
			cure:    "upgrade",
			inflict: []string{"delete", "crd", apis.CRDSandboxWarmPools},
		},
		{
			name: "a definition is old", check: "definitions", says: apis.CRDSandboxes + " differs from that of this program",
			cure: "upgrade",
			inflict: []string{
				"patch", "crd", apis.CRDSandboxes, "--type=json", "-p",
				`[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/operatingMode"}]`,
			},
		},
		{
			name: "the operator's image does not exist", check: "operator", says: "cannot be pulled", cure: "kubectl describe",
			inflict: append(append([]string{"set", "image"}, deployment...), apis.OperatorName+"=localhost/nowhere:v1"),
			heal:    func() { upgrade(h) },
		},
		{
			name: "the operator is scaled to zero", check: "operator", says: "scaled to zero", cure: "--replicas=1",
			inflict: append([]string{"scale", "--replicas=0"}, deployment...), heal: start,
		},
		{
			name: "nobody leads", check: "leader", says: "no operator leads", cure: "kubectl logs",
			inflict: append([]string{"scale", "--replicas=0"}, deployment...), heal: start,
		},
		{
			name: "the operator is gone", check: "operator", says: "no operator is installed", cure: "kubectl sandbox install",
			inflict: append([]string{"delete"}, deployment...),
			heal:    func() { operator(h, "install", "--image", harness.RequireEnv("E2E_IMAGE")) },
		},
		{
			name: "the metrics' Service is gone", check: "metrics", says: "does not exist", cure: "upgrade",
			inflict: []string{"-n", operatorNamespace, "delete", "service", apis.OperatorName},
		},
		{
			name: "no default StorageClass", check: "storage", says: "no StorageClass is the default",
			cure:    "kubectl annotate storageclass",
			inflict: []string{"annotate", defaultClass, class + "-"},
			heal:    func() { h.MustKubectl("annotate", defaultClass, class+"=true") },
		},
	} {
		if r := h.KubectlWithoutNamespace(fault.inflict...); r.Code != 0 {
			t.Fatalf("%s: %v", fault.name, r)
		}
		var f finding
		h.Eventually("doctor sees that "+fault.name, func() error {
			found, code := runDoctor(h)
			f = found[fault.check]
			if code != 1 || f.Status != statusFailed || !strings.Contains(f.Message, fault.says) ||
				!strings.Contains(f.Cure, fault.cure) {
				return &findingError{f}
			}
			return nil
		})
		if fault.heal == nil {
			fault.heal = func() { operator(h, strings.TrimPrefix(f.Cure, "kubectl sandbox ")) } // the cure is a command
		}
		fault.heal()
		waitUntilHealthy(h)
	}
	h.Must("create", "after", "--image", harness.ImageShell, "--wait")
}
