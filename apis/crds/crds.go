// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package crds embeds the generated CustomResourceDefinitions. The installer and the tests apply the files of the
// repository.
package crds

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Files holds one YAML file for each CustomResourceDefinition, in one directory for each API group.
//
//go:embed agents/*.yaml extensions/*.yaml
var Files embed.FS

// All returns copies of the CustomResourceDefinitions in the order of their file names. They have no labels: the labels
// in the files mark an installation, and the installer sets its own.
func All() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	all, err := parseOnce()
	if err != nil {
		return nil, err
	}
	copies := make([]*apiextensionsv1.CustomResourceDefinition, len(all))
	for i, crd := range all {
		copies[i] = crd.DeepCopy()
	}
	return copies, nil
}

// parseOnce reads the definitions once: they have thousands of lines.
//
//nolint:gochecknoglobals // a cache of embedded files, which never change
var parseOnce = sync.OnceValues(func() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(Files, "*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list embedded CRDs: %w", err)
	}
	all := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(names))
	for _, name := range names {
		raw, err := Files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read embedded CRD %s: %w", name, err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(raw, crd); err != nil {
			return nil, fmt.Errorf("parse embedded CRD %s: %w", name, err)
		}
		crd.Labels = nil
		all = append(all, crd)
	}
	return all, nil
})

// IsCore reports whether a CustomResourceDefinition belongs to the core group, which works without the extensions.
func IsCore(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return crd.Spec.Group == apis.GroupAgents
}

// hashBytes is the length of a hash: a prefix of a SHA-256.
const hashBytes = 8

// Hash identifies a set of definitions with 16 hexadecimal digits. It depends on their names and specs, and not on
// labels, annotations, status or order.
func Hash(all []*apiextensionsv1.CustomResourceDefinition) (string, error) {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for _, crd := range slices.SortedFunc(slices.Values(all), byName) {
		if err := encoder.Encode(map[string]any{crd.Name: crd.Spec}); err != nil {
			return "", fmt.Errorf("hash CRD %s: %w", crd.Name, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:hashBytes]), nil
}

func byName(a, b *apiextensionsv1.CustomResourceDefinition) int {
	return strings.Compare(a.Name, b.Name)
}
