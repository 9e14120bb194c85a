// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

const header = "# Copyright 2026 The kubectl-sandbox Authors.\n# SPDX-License-Identifier: Apache-2.0\n---\n"

// embedded lists the paths whose schema comes from core Kubernetes types. The descriptions below them are removed.
var embedded = []string{
	"spec.podTemplate.spec",
	"spec.volumeClaimTemplates[].spec",
	"spec.networkPolicy.ingress[]",
	"spec.networkPolicy.egress[]",
	"status.conditions[]",
}

// finish rewrites one file of controller-gen.
func finish(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, crd); err != nil {
		return fmt.Errorf("parse %s: %w", file, err)
	}
	if len(crd.Spec.Versions) != 1 || crd.Spec.Versions[0].Name != apis.VersionV1beta1 {
		return fmt.Errorf("%s: want one version %s, as controller-gen writes it", file, apis.VersionV1beta1)
	}
	crd.Labels = install.Labels() // so that the plugin knows the definitions of the static manifests as its own
	stored := &crd.Spec.Versions[0]
	strip(stored.Schema.OpenAPIV3Schema, "")
	narrow(stored.Schema.OpenAPIV3Schema, "")
	served := stored.DeepCopy()
	served.Name, served.Storage = apis.VersionV1alpha1, false
	crd.Spec.Versions = append(crd.Spec.Versions, *served)
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	out, err := yaml.Marshal(crd)
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	out = bytes.ReplaceAll(
		out,
		[]byte("status:\n  acceptedNames:\n    kind: \"\"\n    plural: \"\"\n  conditions: null\n  storedVersions: null\n"),
		nil,
	)
	return os.WriteFile(file, append([]byte(header), out...), 0o644)
}

// strip removes the descriptions below embedded paths and joins the lines of the others. The path is that of the
// schema.
func strip(s *apiextensionsv1.JSONSchemaProps, path string) {
	// kubectl explain wraps lines itself, so the line breaks of the Go comment are removed.
	s.Description = strings.Join(strings.Fields(s.Description), " ")
	if below(path) {
		s.Description = ""
	}
	for name, prop := range s.Properties {
		strip(&prop, strings.TrimPrefix(path+"."+name, "."))
		s.Properties[name] = prop
	}
	if s.Items != nil && s.Items.Schema != nil {
		strip(s.Items.Schema, path+"[]")
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		strip(s.AdditionalProperties.Schema, path+"{}")
	}
}

func below(path string) bool {
	for _, p := range embedded {
		if strings.HasPrefix(path, p+".") || strings.HasPrefix(path, p+"[") || (strings.HasSuffix(p, "[]") && path == p) {
			return true
		}
	}
	return false
}
