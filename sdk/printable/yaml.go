// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printable

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// YAML writes an object exactly, whatever characters its texts have.
func YAML(object any) ([]byte, error) {
	text, err := JSON(object)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(text)
}

// JSON is json.Marshal whose result is ASCII where YAML, which reads JSON, does not take the character itself: an object with a
// C1 control character could not be shown as YAML at all otherwise.
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
		if refusedByYAML(r) { // such a character is in a text: all others of JSON are ASCII
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String()), nil
}

// refusedByYAML says whether YAML's set of characters leaves the character out, or takes it for the end of a line. JSON
// escapes those below a space.
func refusedByYAML(r rune) bool {
	return (r >= 0x7f && r < 0xa0) || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}
