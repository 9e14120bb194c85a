// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printable

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// YAML encodes an object exactly, whatever characters it contains.
func YAML(object any) ([]byte, error) {
	text, err := JSON(object)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(text)
}

// JSON is json.Marshal, but escapes characters that YAML, which reads the result, does not accept: otherwise an object
// with a C1 control character could not be shown as YAML.
func JSON(object any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if strings.IndexFunc(string(text), refusedByYAML) < 0 {
		return text, nil
	}
	var b strings.Builder
	for _, r := range string(text) {
		if refusedByYAML(r) { // such a character is within a string: the rest of JSON is ASCII
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String()), nil
}

// refusedByYAML reports whether YAML excludes the character, or takes it for a line end. JSON escapes those below a
// space.
func refusedByYAML(r rune) bool {
	return (r >= 0x7f && r < 0xa0) || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}
