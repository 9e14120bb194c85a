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

// chartDirectory is the directory of the Helm chart in the repository.
const chartDirectory = "operator/chart/agent-sandbox"

// chart writes the package of the Helm chart, as `helm package` does, with the files that git knows. A tree without a
// chart gets no package.
func (r *release) chart() error {
	entries, err := r.chartEntries(chartDirectory, "agent-sandbox")
	if err != nil || len(entries) == 0 {
		return err
	}
	out := &bytes.Buffer{}
	if err := writeTarGz(out, entries, r.date); err != nil {
		return err
	}
	return r.keep("agent-sandbox-"+strings.TrimPrefix(r.version, "v")+".tgz", out.Bytes())
}

// chartEntries returns the files of a directory of the repository under another name. Like Helm, it replaces a symbolic
// link to a directory by the files in it.
func (r *release) chartEntries(directory, name string) ([]entry, error) {
	listed, err := r.command(nil, "git", "ls-files", "-z", "--", directory)
	if err != nil || len(listed) == 0 {
		return nil, err
	}
	var entries []entry
	for file := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		inside := path.Join(name, strings.TrimPrefix(file, directory+"/"))
		onDisk := filepath.Join(r.root, filepath.FromSlash(file))
		if target, err := os.Readlink(onDisk); err == nil {
			linked, err := r.chartEntries(path.Join(path.Dir(file), filepath.ToSlash(target)), inside)
			if err != nil {
				return nil, err
			}
			entries = append(entries, linked...)
			continue
		}
		data, err := os.ReadFile(onDisk)
		if err != nil {
			return nil, err
		}
		if file == chartDirectory+"/Chart.yaml" {
			if data, err = versioned(data, r.version); err != nil {
				return nil, err
			}
		}
		entries = append(entries, entry{inside, 0o644, data})
	}
	return entries, nil
}

var (
	chartVersion = regexp.MustCompile(`(?m)^version:.*$`)
	appVersion   = regexp.MustCompile(`(?m)^appVersion:.*\n?`)
)

// versioned sets the version of the release in Chart.yaml: without a v for the chart, as Helm requires, and with a v
// for the operator, whose image has such a tag.
func versioned(text []byte, version string) ([]byte, error) {
	if !chartVersion.Match(text) {
		return nil, fmt.Errorf("%s/Chart.yaml has no version", chartDirectory)
	}
	text = appVersion.ReplaceAll(text, nil)
	line := fmt.Sprintf("version: %s\nappVersion: %s", strings.TrimPrefix(version, "v"), version)
	return chartVersion.ReplaceAllLiteral(text, []byte(line)), nil
}
