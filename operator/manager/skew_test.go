// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestDefinitionsOfAnotherVersionAreTold(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "x", nil)
	tests := map[string]struct {
		installed string // empty: without a label
		err       error
		want      map[string]bool
		warns     bool
	}{
		"another version is told": {"v1.0.0", nil, map[string]bool{"sandboxes.agents.x-k8s.io": true}, true},
		"the same one is fine": {"v1.2.3-4-gabc-dirty", nil, map[string]bool{"sandboxes.agents.x-k8s.io": false},
			false},
		"one that says nothing is fine":  {"", nil, map[string]bool{}, false},
		"one that we may not see is too": {"v1.0.0", forbidden, map[string]bool{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			crd := &metav1.PartialObjectMetadata{}
			crd.APIVersion, crd.Kind, crd.Name = "apiextensions.k8s.io/v1", "CustomResourceDefinition",
				"sandboxes.agents.x-k8s.io"
			if tt.installed != "" {
				crd.Labels = map[string]string{"app.kubernetes.io/version": tt.installed}
			}
			scheme := runtime.NewScheme()
			if err := metav1.AddMetaToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			reader := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithRuntimeObjects(crd).Build(),
				interceptor.Funcs{
					Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
						opts ...client.GetOption) error {
						if tt.err != nil {
							return tt.err
						}
						return c.Get(ctx, key, o, opts...)
					},
				})
			var log strings.Builder
			logger := funcr.New(func(_, line string) { log.WriteString(line) }, funcr.Options{})
			got := map[string]bool{}
			config := Defaults()
			reportVersionSkew(t.Context(), reader, config.requiredKinds(), "v1.2.3-4-gabc+dirty",
				func(crd string, skewed bool) { got[crd] = skewed }, logger)
			if !maps.Equal(got, tt.want) {
				t.Errorf("told: %v", got)
			}
			if warned := strings.Contains(log.String(), "kubectl sandbox install"); warned != tt.warns {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}
