// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package examples checks that an API server accepts every file in examples.
package examples

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

const root = "../../../examples"

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }))
}

// foreignKinds lists the files with kinds of other projects, whose schemas this server does not have. It lists their
// objects, so that no other object goes unchecked.
var foreignKinds = map[string][]string{
	"integrations/kueue-queue.yaml": {
		"kueue.x-k8s.io/v1beta1 ResourceFlavor", "kueue.x-k8s.io/v1beta1 ClusterQueue", "kueue.x-k8s.io/v1beta1 LocalQueue",
	},
	"integrations/kro.yaml":             {"kro.run/v1alpha1 ResourceGraphDefinition"},
	"integrations/kyverno.yaml":         {"kyverno.io/v1 ClusterPolicy"},
	"policy/gatekeeper/template.yaml":   {"templates.gatekeeper.sh/v1 ConstraintTemplate"},
	"policy/gatekeeper/constraint.yaml": {"constraints.gatekeeper.sh/v1beta1 SandboxSecureByDefault"},
	"ray/rayjob.yaml":                   {"ray.io/v1 RayJob"},
	"gateway/gateway.yaml": {
		"v1 Namespace", "gateway.networking.k8s.io/v1 Gateway", "gateway.networking.k8s.io/v1 HTTPRoute",
	},
	"gateway/gke-health-check.yaml": {"networking.gke.io/v1 HealthCheckPolicy"},
	"gateway/kind.yaml":             {"gateway.networking.k8s.io/v1 Gateway", "gateway.networking.k8s.io/v1 HTTPRoute"},
}

// settings lists the files that have no objects, but the settings of a program.
var settings = []string{"ci/github-workflow.yaml", "coding-agent/mcp.json", "pools/prometheus-adapter.yaml"}

// files returns the paths of the YAML and JSON files below examples.
func files(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			name, _ := filepath.Rel(root, path)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("found %d files, %v", len(all), err)
	}
	return all
}

func TestEveryExampleIsServed(t *testing.T) {
	namespace := server.Namespace(t)
	for _, name := range files(t) {
		if _, foreign := foreignKinds[name]; foreign || slices.Contains(settings, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			source, input := path, ""
			if filepath.Base(name) == "kustomization.yaml" {
				rendered, stderr, err := server.Kubectl(t, "", "kustomize", filepath.Dir(path))
				if err != nil {
					t.Fatalf("kustomize: %v\n%s", err, stderr)
				}
				source, input = "-", rendered
			}
			stdout, stderr, err := server.Kubectl(t, input, "apply", "--server-side", "--dry-run=server", "--validate=strict",
				"--namespace", namespace, "--filename", source)
			if err != nil || stdout == "" {
				t.Errorf("%v\n%s%s", err, stdout, stderr)
			}
		})
	}
}

func TestOverlaysChooseARuntime(t *testing.T) {
	for overlay, runtime := range map[string]string{
		"gvisor": "gvisor", "kata": "kata", "kata-mshv": "kata-mshv-vm-isolation",
	} {
		rendered, stderr, err := server.Kubectl(t, "", "kustomize", filepath.Join(root, "workloads/vscode", overlay))
		if err != nil || !strings.Contains(rendered, "runtimeClassName: "+runtime+"\n") {
			t.Errorf("%s: %v\n%s%s", overlay, err, rendered, stderr)
		}
	}
}

func TestExamplesForOtherProjectsAreWellFormed(t *testing.T) {
	for name, want := range foreignKinds {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
			for {
				object := unstructured.Unstructured{}
				err := decoder.Decode(&object.Object)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if len(object.Object) == 0 {
					continue
				}
				got = append(got, object.GetAPIVersion()+" "+object.GetKind())
				if object.GetName() == "" {
					t.Errorf("a %s has no name", object.GetKind())
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("holds %q, want %q", got, want)
			}
		})
	}
}

func TestEveryFileSaysItsLicenceAndWhatItShows(t *testing.T) {
	for _, name := range files(t) {
		if filepath.Ext(name) == ".json" { // it has no comments
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(content), "# SPDX-License-Identifier: Apache-2.0\n\n# ")
		if !found || len(rest) < len("a sentence") {
			t.Errorf("%s says neither its licence nor what it shows", name)
		}
	}
}
