// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"path"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// suffixLength is the number of random characters at the end of a generated name.
const suffixLength = 5

// notInNames matches what a name cannot contain.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// GenerateName returns the prefix with random characters. Without a prefix the name begins with what the sandbox is
// created from: its template, pool or image.
func (o *Options) GenerateName(prefix string) string {
	if prefix == "" {
		prefix = o.sourceName() + "-"
	}
	return prefix + rand.String(suffixLength)
}

// sourceName returns a short name of the source that may begin the name of a Service.
func (o *Options) sourceName() string {
	source := o.Template
	switch {
	case source == "" && o.Image != "":
		image, _, _ := strings.Cut(o.Image, "@")
		source, _, _ = strings.Cut(path.Base(image), ":")
	case source == "" && o.Pool != apis.WarmPoolNone:
		source = o.Pool
	}
	source = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(source), "-"), "-")
	if longest := validation.DNS1123LabelMaxLength - suffixLength - 1; len(source) > longest {
		source = strings.TrimRight(source[:longest], "-")
	}
	if source == "" || source[0] <= '9' { // the name of a Service begins with a letter
		source = strings.TrimRight("sandbox-"+source, "-")
	}
	return source
}
