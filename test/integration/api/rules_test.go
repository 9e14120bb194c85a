// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

type when int

const (
	onCreate when = iota
	onUpdate
	onStatus
)

// row lists what a rule accepts and what it refuses, as YAML patches of the kind's smallest object.
type row struct {
	rules        []string // as rulesOf returns them
	when         when
	before       string // onUpdate: the object before the patch
	status       string // onUpdate: its status
	passes       []string
	refused      []string
	messageParts []string // the message contains all of them
}

func TestSandboxRules(t *testing.T) { runRules(t, sandbox, sandboxRows()) }

func TestClaimRules(t *testing.T) { runRules(t, claim, claimRows(), claimFreezeRows()) }

func TestTemplateRules(t *testing.T) { runRules(t, template, templateRows()) }

func TestWarmPoolRules(t *testing.T) { runRules(t, pool, poolRows()) }

// runRules runs all rows. It fails for a rule without a row, a row without its rule, and a default without a test.
func runRules(t *testing.T, k kind, tables ...map[string]row) {
	known, covered := rulesOf(k.storedSchema(t)), map[string]bool{}
	for rule := range defaultsOf(k) {
		covered[rule] = true
	}
	for _, table := range tables {
		for name, row := range table {
			for _, rule := range row.rules {
				covered[rule] = true
			}
			if len(row.passes) == 0 || len(row.refused) == 0 || len(row.messageParts) == 0 {
				t.Errorf("%q needs an object that passes, one that is refused, and parts of the message", name)
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				row.run(t, k)
			})
		}
	}
	for _, rule := range known {
		if !covered[rule] {
			t.Errorf("the rule %q has no row", rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(covered)) {
		if !slices.Contains(known, rule) {
			t.Errorf("a row has the rule %q, which %s does not have", rule, k.name)
		}
	}
}

func (r row) run(t *testing.T, k kind) {
	namespace := server.Namespace(t)
	for i, patch := range append(slices.Clone(r.passes), r.refused...) {
		name := fmt.Sprintf("box-%d", i)
		err := r.try(t, k, namespace, name, patch)
		switch {
		case i < len(r.passes) && err != nil:
			t.Errorf("should pass, but was refused: %s\n%v", truncate(patch), err)
		case i >= len(r.passes):
			r.checkRefusal(t, patch, err)
		}
	}
}

func (r row) checkRefusal(t *testing.T, patch string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("should be refused, but passed: %s", truncate(patch))
		return
	}
	if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
		t.Errorf("should be refused as invalid, but the error is: %v", err)
	}
	for _, word := range r.messageParts {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the message lacks %q\nobject: %s\nmessage: %s", word, truncate(patch), truncate(err.Error()))
		}
	}
}

// try creates the patched object, or creates an object and then patches it.
func (r row) try(t *testing.T, k kind, namespace, name, patch string) error {
	named := fmt.Sprintf("metadata: {name: %s}", name)
	client := k.client(t, namespace)
	if r.when == onCreate {
		_, err := client.Create(t.Context(), k.object(t, named, patch), strict())
		return err
	}
	object := k.object(t, named)
	if r.before != "" {
		object = k.object(t, named, r.before)
	}
	made, err := client.Create(t.Context(), object, strict())
	if err != nil {
		t.Fatalf("create the object to change: %v", err)
	}
	if r.status != "" {
		if err := change(t, k, made, r.status, "status"); err != nil {
			t.Fatalf("set the status: %v", err)
		}
	}
	if r.when == onStatus {
		return change(t, k, made, patch, "status")
	}
	return change(t, k, made, patch)
}

func strict() metav1.CreateOptions {
	return metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
}

// change applies a merge patch to a live object.
func change(t *testing.T, k kind, object *unstructured.Unstructured, patch string, subresources ...string) error {
	t.Helper()
	body, err := yaml.YAMLToJSONStrict([]byte(patch))
	if err != nil {
		t.Fatalf("parse %s: %v", patch, err)
	}
	options := metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}
	_, err = k.client(t, object.GetNamespace()).Patch(t.Context(), object.GetName(), types.MergePatchType, body, options,
		subresources...)
	return err
}

func truncate(text string) string { return text[:min(len(text), 600)] }

// longName returns a name of the given length.
func longName(length int) string { return strings.Repeat("x", length) }

// yamlList returns a YAML list of the given length. format makes an element from its index.
func yamlList(length int, format string) string {
	elements := make([]string, 0, length)
	for i := range length {
		elements = append(elements, fmt.Sprintf(format, i))
	}
	return "[" + strings.Join(elements, ", ") + "]"
}
