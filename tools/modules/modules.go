// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package modules finds the Go modules that the programs contain, and their licences.
package modules

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Module is a module of others that a program contains.
type Module struct {
	Path, Version string
	Dir           string // its files
}

// Platform is where programs run. The packages of a program, and so its modules, depend on it.
type Platform struct{ OS, Arch string }

// Of returns the modules that packages of the module in root contain on the platforms, sorted by path.
func Of(root string, platforms []Platform, packages ...string) ([]Module, error) {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
	found := map[string]Module{}
	for _, p := range platforms {
		cmd := exec.Command("go", append([]string{"list", "-deps", "-f", format}, packages...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOFLAGS=-mod=readonly")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s/%s: %w: %s", p.OS, p.Arch, err, errs.String())
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) == 3 {
				found[fields[0]] = Module{Path: fields[0], Version: fields[1], Dir: fields[2]}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Module) int { return strings.Compare(a.Path, b.Path) }), nil
}

// Text is a file with a licence or a notice.
type Text struct {
	Name    string
	Content []byte
}

// Texts returns the licences and notices of a module, sorted by name. Whoever hands the module on must hand them on
// too.
func (m Module) Texts() ([]Text, error) {
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", m.Path, err)
	}
	var texts []Text
	for _, file := range files {
		name := strings.ToUpper(file.Name())
		if file.IsDir() || (!isLicence(name) && !strings.HasPrefix(name, "NOTICE")) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.Dir, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m.Path, err)
		}
		texts = append(texts, Text{Name: file.Name(), Content: content})
	}
	return texts, nil
}

func isLicence(name string) bool {
	for _, prefix := range []string{"LICENSE", "LICENCE", "COPYING", "COPYRIGHT"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// minCoverage is how much of a file, in percent, must be the text of known licences.
const minCoverage = 50

// Licences returns the SPDX identifiers of a module's licences, sorted. A module whose licence is unknown is an error.
func (m Module) Licences() ([]string, error) {
	texts, err := m.Texts()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, text := range texts {
		if !isLicence(strings.ToUpper(text.Name)) {
			continue
		}
		coverage := licensecheck.Scan(text.Content)
		if coverage.Percent < minCoverage {
			continue
		}
		for _, match := range coverage.Match {
			names[match.ID] = true
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("module %s has no licence that is known", m.Path)
	}
	return slices.Sorted(maps.Keys(names)), nil
}
