// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/docs"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

const examples = "../../examples"

// runtimeImage is the image of the runtime in examples and documents.
const runtimeImage = "ghcr.io/agent-sandbox/sandbox-runtime:v0.1.0"

// How each example is tested. A file that is in no list fails TestEachExampleHasItsPlaceInTheseTests.
var (
	// appliedExamples are applied to the test cluster, which has their images under other names.
	appliedExamples = []string{
		"templates/python.yaml", "templates/restricted.yaml", "pools/warm.yaml", "workloads/hello-world.yaml",
		"policy/service-account.yaml",
		"policy/disruption-budget.yaml",
		"integrations/kueue.yaml", "claims/by-pool.yaml", "claims/by-template.yaml", "claims/cold-with-env-and-volume.yaml",
		"claims/deadline-delete.yaml", "claims/job-retained.yaml", "claims/of-named-pool.yaml", "claims/with-metadata.yaml",
	}
	// exampleTests are applied by tests of their own.
	exampleTests = []string{
		"templates/hardened.yaml", "policy/automount-token.yaml", "policy/secure-by-default.yaml",
		"pools/hpa-claim-rate.yaml",
		"pools/claim-load.yaml", "templates/runtime-copied.yaml", "templates/runtime-image-volume.yaml",
	}
	// documentedExamples are applied by the README.md of their directory, which TestDocuments runs.
	documentedExamples = []string{
		"ci/account.yaml", "ci/pool.yaml", "coding-agent/pool.yaml", "ray/account.yaml", "ray/pool.yaml", "ray/try.yaml",
		"rl-rollouts/pool.yaml",
	}
	// dryRunExamples are only validated by the API server: the test cluster lacks their images or a metrics server.
	dryRunExamples = []string{
		"observability/otel-collector.yaml", "browser-pool/pool.yaml", "dev-environment/dev.yaml",
		"pools/hpa.yaml", "workloads/all-in-one.yaml", "workloads/chrome.yaml", "workloads/jupyterlab.yaml",
		"workloads/vscode/base/vscode.yaml", "workloads/vscode/base/kustomization.yaml",
		"workloads/vscode/gvisor/kustomization.yaml",
		"workloads/vscode/kata/kustomization.yaml", "workloads/vscode/kata-mshv/kustomization.yaml",
	}
	// foreignExamples have kinds of other projects, or no objects; test/integration/examples and tools/examples validate
	// them.
	foreignExamples = []string{
		"policy/gatekeeper/template.yaml", "policy/gatekeeper/constraint.yaml", "ray/rayjob.yaml", "ci/github-workflow.yaml",
		"pools/prometheus-adapter.yaml",
		"integrations/kro.yaml", "integrations/kueue-queue.yaml", "integrations/kyverno.yaml", "gateway/gateway.yaml",
		"gateway/gke-health-check.yaml", "gateway/kind.yaml",
	}
)

// example returns the text of an example with the public images replaced by those of the test cluster.
func example(h *harness.T, name string) string {
	h.Helper()
	text, err := os.ReadFile(filepath.Join(examples, name))
	if err != nil {
		h.Fatal(err)
	}
	return strings.NewReplacer("image: python:3.13-slim\n", "image: "+harness.ImagePython+"\n",
		"image: busybox:1.37\n", "image: "+harness.ImageShell+"\n", runtimeImage, harness.ImageRuntime).Replace(string(text))
}

func TestEachExampleHasItsPlaceInTheseTests(t *testing.T) {
	t.Parallel()
	known := slices.Concat(appliedExamples, exampleTests, documentedExamples, dryRunExamples, foreignExamples)
	err := filepath.WalkDir(examples, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		name, err := filepath.Rel(examples, path)
		if !slices.Contains(known, name) {
			t.Errorf("%s is in no list", name)
		}
		known = slices.DeleteFunc(known, func(other string) bool { return other == name })
		return err
	})
	if err != nil || len(known) > 0 {
		t.Errorf("the lists name files that do not exist: %v, %v", known, err)
	}
}

func TestTheDocumentsApplyTheExamplesThatAreLeftToThem(t *testing.T) {
	t.Parallel()
	for _, name := range documentedExamples {
		page := filepath.Join(examples, filepath.Dir(name), "README.md")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		parsed := docs.Parse(page, string(text))
		if !slices.ContainsFunc(parsed.Run(), func(step docs.Step) bool {
			return strings.Contains(step.Script, "kubectl apply") && strings.Contains(step.Script, " examples/"+name)
		}) {
			t.Errorf("%s does not apply %s", page, name)
		}
	}
}

func TestTheExamplesOfPoolsAndClaimsRun(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for _, name := range appliedExamples {
		if strings.HasPrefix(name, "claims/") {
			h.FullPool("python-warm")
		}
		h.Apply(example(h, name))
	}
	h.Condition("hello-world", "Finished=True/PodSucceeded")
	if got := h.Must("logs", "hello-world"); got != "hello world\n" {
		t.Errorf("hello-world says %q", got)
	}
	h.Ready("with-identity")
	if got := h.Must("exec", "with-identity", "--", "sh", "-c",
		"test -s /var/run/identity/token && ls /var/run/secrets 2>&1 | wc -l"); got != "1\n" {
		t.Errorf("identity: %q", got)
	}
	h.Ready("queued") // without Kueue the label has no effect
	var claims extensionsv1beta1.SandboxClaimList
	if err := h.Client.List(t.Context(), &claims, client.InNamespace(h.Namespace)); err != nil {
		t.Fatal(err)
	}
	served := len(claims.Items)
	for _, claim := range claims.Items {
		h.Claimed(claim.Name)
	}
	if served != 7 {
		t.Errorf("there are %d claims", served)
	}
	if got := h.Must("exec", "cold-with-env-and-volume", "--", "sh", "-c", "echo $MODE $ONLY_HERE"); got != "fast yes\n" {
		t.Errorf("the claim's variables are %q", got)
	}
	pod := h.Pod(h.Claimed("with-metadata"))
	h.Eventually("metadata on the Pod", func() error {
		var now corev1.Pod
		h.Get(pod.Name, &now)
		return checkMetadata("Pod", &now, map[string]string{
			"team": "research", "cost-center": "1234", "#example.com/ticket": "42", "sandbox-disruption": "guarded",
		})
	})
	members := h.FullPool("python-warm")
	h.Eventually("the budget guards all of them", func() error {
		var budget policyv1.PodDisruptionBudget
		h.Get("guarded-sandboxes", &budget)
		if want := int32(len(members) + served); budget.Status.CurrentHealthy != want ||
			budget.Status.DisruptionsAllowed != 0 || budget.Status.ExpectedPods != want {
			return fmt.Errorf("want %d Pods: %+v", want, budget.Status)
		}
		return nil
	})
}

func TestTheHardenedExampleRunsAsItSays(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	// as the file recommends for clusters without gVisor
	h.Apply(strings.Replace(example(h, "templates/hardened.yaml"), "runtimeClassName: gvisor", "", 1))
	h.CreateAll(h.NewClaim("dev", "hardened", withoutWarmPool,
		withEnv(extensionsv1beta1.EnvVar{Name: "WHO", Value: "claim"})))
	h.Claimed("dev")
	script := "id -u; echo $WHO; touch /no 2>/dev/null || echo read-only; touch /work/yes && echo work"
	if got := h.Must("exec", "dev", "--", "sh", "-c", script); got != "1000\nclaim\nread-only\nwork\n" {
		t.Errorf("in the sandbox: %q", got)
	}
	if got := h.MustKubectl("get", "networkpolicy/hardened-network-policy", "-o",
		"jsonpath={.spec.egress[*].ports[*].port} {.spec.ingress}"); got != "53 53 3128 " {
		t.Errorf("the policy's ports are %q", got)
	}
}

func TestOtherExamplesAreAdmitted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for _, name := range dryRunExamples {
		var text string
		if filepath.Base(name) == "kustomization.yaml" {
			text = h.MustKubectl("kustomize", filepath.Join(examples, filepath.Dir(name)))
		} else {
			text = example(h, name)
		}
		if r := h.ApplyResult(text, "--dry-run=server", "--validate=strict"); r.Code != 0 {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestTheAdmissionPoliciesOfTheExamplesHoldBackWhatTheySay(t *testing.T) {
	t.Parallel()
	for policy, row := range map[string]struct{ file, refused, word string }{
		"sandbox-no-api-token": {
			"policy/automount-token.yaml", "templates/python.yaml", "set podTemplate.spec.automountServiceAccountToken to false",
		},
		"sandbox-secure-by-default": {
			"policy/secure-by-default.yaml", "workloads/hello-world.yaml",
			"set podTemplate.spec.runtimeClassName to gvisor, kata-qemu, kata",
		},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			text := example(h, row.file)
			here := strings.Replace(text, "operator: NotIn, values: [kube-system]", "operator: In, values: ["+h.Namespace+"]", 1)
			if here == text {
				t.Fatalf("%s does not select its namespaces as this test expects", row.file)
			}
			h.Cleanup(func() {
				h.KubectlWithoutNamespace("delete", "validatingadmissionpolicybinding/"+policy, "validatingadmissionpolicy/"+policy)
			})
			h.Apply(here)
			h.Eventually(row.refused+" is refused", func() error { // the API server takes a moment to apply the policy
				r := h.ApplyResult(example(h, row.refused), "--dry-run=server")
				if r.Code == 0 || !strings.Contains(r.Stderr, policy) || !strings.Contains(r.Stderr, row.word) {
					return fmt.Errorf("want %q: %v", row.word, r)
				}
				return nil
			})
			if r := h.ApplyResult(example(h, "templates/hardened.yaml"), "--dry-run=server"); r.Code != 0 {
				t.Errorf("the hardened template is refused: %v", r)
			}
		})
	}
}
