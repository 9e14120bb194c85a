// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// ParseLabels parses the values of --label, KEY=VALUE. It refuses labels that only the operator sets.
func ParseLabels(texts []string) (map[string]string, error) {
	labels, err := parsePairs("--label", texts, validation.IsValidLabelValue)
	if err != nil {
		return nil, err
	}
	for key, value := range labels {
		if apis.ReservedLabel(key, value) {
			return nil, fmt.Errorf("--label %s: only the operator sets labels of this kind", key)
		}
	}
	return labels, nil
}

// ParseAnnotations parses the values of --annotation, KEY=VALUE. It refuses annotations that only the operator sets.
func ParseAnnotations(texts []string) (map[string]string, error) {
	annotations, err := parsePairs("--annotation", texts, func(string) []string { return nil })
	if err != nil {
		return nil, err
	}
	for key := range annotations {
		if apis.ReservedKey(key) {
			return nil, fmt.Errorf("--annotation %s: only the operator sets annotations of this kind", key)
		}
	}
	return annotations, nil
}

// parsePairs parses the values of a flag, KEY=VALUE. problems says what is wrong with a value.
func parsePairs(flag string, texts []string, problems func(value string) []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	all := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, found := strings.Cut(text, "=")
		if !found {
			return nil, fmt.Errorf("%s %q: use KEY=VALUE", flag, text)
		}
		if wrong := slices.Concat(validation.IsQualifiedName(key), problems(value)); len(wrong) > 0 {
			return nil, fmt.Errorf("%s %q: %s", flag, text, wrong[0])
		}
		all[key] = value
	}
	return all, nil
}
