// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"encoding/json"
	"io"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// WriteDocument writes a value as json or yaml. For any other format it writes the text.
func WriteDocument(out io.Writer, format string, value any, text string) error {
	encoded := []byte(text)
	var err error
	switch format {
	case "json":
		encoded, err = json.MarshalIndent(value, "", "  ")
		encoded = append(encoded, '\n')
	case "yaml":
		encoded, err = printable.YAML(value)
	}
	if err != nil {
		return err
	}
	_, err = out.Write(encoded)
	return err
}
