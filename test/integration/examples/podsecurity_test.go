// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

// exception begins the comment of an example that does not fit the level. The reason follows.
const exception = `# It does not fit the Pod Security Standard "restricted": `

// restrictedNamespace returns a namespace that admits only Pods of the level, with the RuntimeClasses of the examples.
func restrictedNamespace(t *testing.T) string {
	t.Helper()
	namespace := server.Namespace(t)
	if _, stderr, err := server.Kubectl(t, "", "label", "namespace", namespace,
		"pod-security.kubernetes.io/enforce=restricted"); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	const class = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: gvisor}\nhandler: runsc\n"
	if _, stderr, err := server.Kubectl(t, class, "apply", "--filename", "-"); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return namespace
}

// podsOf returns the Pods that the objects of a manifest lead to.
func podsOf(t *testing.T, manifest string) []*unstructured.Unstructured {
	t.Helper()
	var pods []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096); ; {
		var object map[string]any
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return pods
		}
		if err != nil {
			t.Fatal(err)
		}
		if pod := podOf(object); pod != nil {
			pods = append(pods, pod)
		}
	}
}

// podOf returns the Pod of an object, or nil.
func podOf(object map[string]any) *unstructured.Unstructured {
	spec, _ := object["spec"].(map[string]any)
	template, _ := spec["podTemplate"].(map[string]any)
	if kind := object["kind"]; kind == "Job" || kind == "Deployment" {
		template, _ = spec["template"].(map[string]any)
	}
	podSpec, _ := template["spec"].(map[string]any)
	if podSpec == nil {
		return nil
	}
	volumes, _ := podSpec["volumes"].([]any)
	claims, _ := spec["volumeClaimTemplates"].([]any)
	for _, claim := range claims {
		name, _, _ := unstructured.NestedString(claim.(map[string]any), "metadata", "name")
		volumes = append(volumes, map[string]any{
			"name": name, "persistentVolumeClaim": map[string]any{"claimName": name},
		})
	}
	if len(volumes) > 0 {
		podSpec["volumes"] = volumes
	}
	metadata, _ := template["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"] = "pod"
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": podSpec,
	}}
}

// violations returns what the API server says against a Pod of another level, or nothing.
func violations(t *testing.T, namespace string, pod *unstructured.Unstructured) string {
	t.Helper()
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, err := ask(t, namespace, string(text))
	switch {
	case err == nil:
		return ""
	case !strings.Contains(stderr, `violates PodSecurity "restricted:latest"`):
		t.Fatalf("the Pod is refused for another reason: %s", stderr)
	}
	return stderr
}

func TestEveryExampleFitsTheRestrictedLevelOrSaysWhyNot(t *testing.T) {
	namespace := restrictedNamespace(t)
	checked := 0
	for _, name := range files(t) {
		if _, foreign := foreignKinds[name]; foreign || slices.Contains(settings, name) {
			continue
		}
		text := readFile(t, filepath.Join(root, name))
		_, reason, excepted := strings.Cut(text, exception)
		refused := false
		for _, pod := range podsOf(t, text) {
			checked++
			said := violations(t, namespace, pod)
			refused = refused || said != ""
			if said != "" && !excepted {
				t.Errorf("%s: correct it, or say why not in a comment that begins with %q: %s", name, exception, said)
			}
		}
		if excepted && (!refused || len(reason) < len("a sentence")) {
			t.Errorf("%s says that it does not fit, but it does, or says no reason", name)
		}
	}
	if checked < 15 {
		t.Errorf("only %d Pods were checked", checked)
	}
}

func TestWhatThePluginCreatesFitsTheRestrictedLevelWhenAskedTo(t *testing.T) {
	namespace := restrictedNamespace(t)
	tests := map[string]struct {
		line string
		says string // empty: it fits
	}{
		// The image says as whom it runs, and most say root.
		"the defaults do not": {"create box --image x", "runAsNonRoot != true"},
		"a user alone does not": {
			"create box --image x --uid 1000 --read-only", "allowPrivilegeEscalation != false",
		},
		"a Sandbox":                   {"create box --image x --restricted", ""},
		"a Sandbox of another user":   {"create box --image x --restricted --uid 2000:3000", ""},
		"a Sandbox that cannot write": {"create box --image x --restricted --read-only", ""},
		"a Sandbox with all there can be": {
			"create box --image x --restricted --read-only --volume data=1Gi --port http=80 --env-from secret/keys " +
				"--cpu 1 --memory 1Gi --service --runtime-class gvisor --toleration gpu -- sleep infinity", "",
		},
		"a template":                  {"template create box --image x --restricted --read-only --volume data=1Gi", ""},
		"a template without the flag": {"template create box --image x", "runAsNonRoot != true"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
			argv := strings.Fields("kubectl-sandbox --kubeconfig " + server.Kubeconfig() + " -n " + namespace + " " + tt.line)
			at := slices.Index(argv, "--")
			if at < 0 {
				at = len(argv)
			}
			argv = slices.Insert(argv, at, "--dry-run=client", "-o", "json")
			if code := plugin.Run(t.Context(), argv, streams, clock.RealClock{}); code != 0 {
				t.Fatalf("code %d: %s", code, errOut.String())
			}
			pods := podsOf(t, out.String())
			if len(pods) != 1 {
				t.Fatalf("%d Pods: %s", len(pods), out.String())
			}
			said := violations(t, namespace, pods[0])
			if tt.says == "" && said != "" || !strings.Contains(said, tt.says) {
				t.Errorf("want %q, got %q", tt.says, said)
			}
		})
	}
}

// The manifests make their own namespace one of this level.
func TestTheOperatorAndTheRouterFitTheRestrictedLevel(t *testing.T) {
	namespace := restrictedNamespace(t)
	objects, err := install.Render(install.Options{
		Args: []string{"--metrics-secure"}, Routers: []install.Router{{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, object := range objects {
		if pod := podOf(object.Object); pod != nil {
			checked++
			if said := violations(t, namespace, pod); said != "" {
				t.Errorf("%s %s: %s", object.GetKind(), object.GetName(), said)
			}
		}
	}
	if checked != 2 {
		t.Errorf("%d Pods were checked, not those of the operator and a router", checked)
	}
}
