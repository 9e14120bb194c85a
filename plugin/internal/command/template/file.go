// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// readFile reads a file, or standard input if it is "-".
func readFile(file string, in io.Reader) (content []byte, err error) {
	if file == "-" {
		content, err = io.ReadAll(in)
	} else {
		content, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	return content, nil
}

// readDocuments returns the YAML documents of a file that are more than comments.
func readDocuments(file string, in io.Reader) ([][]byte, error) {
	content, err := readFile(file, in)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if !isBlank(document) {
			all = append(all, document)
		}
	}
}

// isBlank reports whether a YAML document has only comments, separators and white space.
func isBlank(document []byte) bool {
	for line := range bytes.Lines(document) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && string(line) != "---" {
			return false
		}
	}
	return true
}

// parseTemplate parses a document that must be a SandboxTemplate. Unknown fields are an error.
func parseTemplate(file string, document []byte) (*extensionsv1beta1.SandboxTemplate, error) {
	template := &extensionsv1beta1.SandboxTemplate{}
	if err := yaml.UnmarshalStrict(document, template); err != nil {
		return nil, fmt.Errorf("%s is not a SandboxTemplate: %w", file, err)
	}
	if template.Kind != apis.KindSandboxTemplate || !strings.HasPrefix(template.APIVersion, apis.GroupExtensions+"/") {
		return nil, fmt.Errorf("%s contains a %s of %q: give one SandboxTemplate of %s",
			file, template.Kind, template.APIVersion, apis.GroupExtensions)
	}
	return template, nil
}

// setNamespace sets the namespace of a template that has none. explicit says that the user chose the namespace.
func setNamespace(
	file string, template *extensionsv1beta1.SandboxTemplate, namespace string, explicit bool,
) error {
	if template.Namespace != "" && explicit && template.Namespace != namespace {
		return fmt.Errorf("%s puts the template into namespace %q, but you chose %q", file, template.Namespace, namespace)
	}
	if template.Namespace == "" {
		template.Namespace = namespace
	}
	return nil
}

// dropReadOnly removes what the API server sets, and files have that were printed from a cluster.
func dropReadOnly(template *extensionsv1beta1.SandboxTemplate) {
	template.ObjectMeta = metav1.ObjectMeta{
		Name: template.Name, Namespace: template.Namespace, Labels: template.Labels, Annotations: template.Annotations,
	}
}
