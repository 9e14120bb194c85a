// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package chart renders the Helm chart with Helm itself. It is in a separate module, so that the product does not
// depend on Helm.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Name is the name of the release.
const Name = "sandboxes"

// oldest is the oldest Kubernetes version that the chart supports.
const oldest = "v1.30.0"

// Render returns the objects that Helm creates in a namespace from the chart in a directory and values in YAML.
func Render(directory, namespace, values string) ([]*unstructured.Unstructured, error) {
	chart, err := loader.Load(directory)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	given := map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	kubernetes, err := common.ParseKubeVersion(oldest)
	if err != nil {
		return nil, err
	}
	install := action.NewInstall(action.NewConfiguration())
	install.KubeVersion = kubernetes
	install.DryRunStrategy, install.ReleaseName, install.Namespace = action.DryRunClient, Name, namespace
	released, err := install.Run(chart, given)
	if err != nil {
		return nil, err
	}
	accessor, err := release.NewAccessor(released)
	if err != nil {
		return nil, err
	}
	return parse(accessor.Manifest())
}

func parse(manifest string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(manifest), len(manifest))
	for {
		var content runtime.RawExtension
		switch err := decoder.Decode(&content); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("parse what Helm rendered: %w", err)
		case len(content.Raw) == 0 || string(content.Raw) == "null":
			continue // a comment
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(content.Raw); err != nil {
			return nil, fmt.Errorf("parse what Helm rendered: %w", err)
		}
		all = append(all, object)
	}
}
