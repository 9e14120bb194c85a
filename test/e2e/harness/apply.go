// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"errors"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Apply applies YAML in the test's namespace with server-side apply, which rejects unknown fields. It takes a hundredth
// of the CPU time of kubectl, which downloads the schema of all kinds first. It fails the test if an object is refused.
func (h *T) Apply(text string) {
	h.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			h.Fatalf("decode: %v:\n%s", err, text)
		case len(object.Object) > 0: // otherwise a document with comments alone
			h.applyOne(object)
		}
	}
}

func (h *T) applyOne(object *unstructured.Unstructured) {
	h.Helper()
	namespaced, err := h.Client.IsObjectNamespaced(object)
	if err == nil && namespaced && object.GetNamespace() == "" {
		object.SetNamespace(h.Namespace)
	}
	if err == nil {
		err = h.Client.Apply(h.Context(), client.ApplyConfigurationFromUnstructured(object), client.ForceOwnership,
			client.FieldOwner("e2e"))
	}
	if err != nil {
		h.Fatalf("apply %s %s: %v", object.GetKind(), object.GetName(), err)
	}
}
