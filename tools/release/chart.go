// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// chartDirectory is the Helm chart, from the root.
const chartDirectory = "operator/chart/agent-sandbox"

// chart writes the Helm chart's package, as `helm package` does, with the files that git knows. A tree without a chart has no
// package.
func (r *release) chart() error {
	listed, err := r.command(nil, "git", "ls-files", "-z", "--", chartDirectory)
	if err != nil {
		return err
	}
	if len(listed) == 0 {
		return nil
	}
	var entries []entry
	for name := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		inside := strings.TrimPrefix(name, chartDirectory+"/")
		if inside == "Chart.yaml" {
			if data, err = versioned(data, r.version); err != nil {
				return err
			}
		}
		entries = append(entries, entry{path.Join("agent-sandbox", inside), 0o644, data})
	}
	out := &bytes.Buffer{}
	if err := writeTarGz(out, entries, r.date); err != nil {
		return err
	}
	return r.keep("agent-sandbox-"+strings.TrimPrefix(r.version, "v")+".tgz", out.Bytes())
}

var (
	chartVersion = regexp.MustCompile(`(?m)^version:.*$`)
	appVersion   = regexp.MustCompile(`(?m)^appVersion:.*\n?`)
)

// versioned gives Chart.yaml the release's version: without a v for the chart, as Helm wants it, and with one for the
// operator, whose image is tagged so.
func versioned(text []byte, version string) ([]byte, error) {
	if !chartVersion.Match(text) {
		return nil, fmt.Errorf("%s/Chart.yaml has no version", chartDirectory)
	}
	text = appVersion.ReplaceAll(text, nil)
	line := fmt.Sprintf("version: %s\nappVersion: %s", strings.TrimPrefix(version, "v"), version)
	return chartVersion.ReplaceAllLiteral(text, []byte(line)), nil
}
