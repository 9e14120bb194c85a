// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The distributions of the Python client, by the directory of each. The second one is inside the first, which does not
// contain it.
const (
	pythonClient = "clients/python"
	pythonAlias  = pythonClient + "/alias"
)

// python writes the wheels and the source distributions of the Python client, which Debian's build tools make without
// a network. A tree without a client gets none.
func (r *release) python() error {
	work, err := os.MkdirTemp("", "release-python-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if known, err := r.export(pythonClient, work); err != nil || !known {
		return err
	}
	for directory, module := range map[string]string{
		pythonClient: "agent_sandbox_client", pythonAlias: "k8s_agent_sandbox",
	} {
		if err := r.distributions(filepath.Join(work, directory), module, filepath.Join(work, module)); err != nil {
			return err
		}
	}
	return nil
}

// export copies the files of a directory that git knows. known is false if there are none.
func (r *release) export(directory, to string) (known bool, _ error) {
	listed, err := r.command(nil, "git", "ls-files", "-z", "--", directory)
	if err != nil || len(listed) == 0 {
		return false, err
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(file)))
		if err != nil {
			return false, err
		}
		target := filepath.Join(to, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return false, err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return false, err
		}
	}
	return true, nil
}

// distributions builds one source tree with the licence and the version of the release. Debian's hatchling asks for a
// package that only editable installations need, so the build does not check that.
func (r *release) distributions(tree, module, to string) error {
	version := fmt.Sprintf("\"\"\"The version of this distribution.\"\"\"\n\n__version__ = %q\n", pythonVersion(r.version))
	file := filepath.Join(tree, "src", module, "_version.py")
	if err := os.WriteFile(file, []byte(version), 0o644); err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, "LICENSE"), license, 0o644); err != nil {
		return err
	}
	_, err = r.command([]string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.date.Unix(), 10), "PYTHONDONTWRITEBYTECODE=1"},
		pythonProgram(), "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", to, tree)
	if err != nil {
		return fmt.Errorf("build %s (Debian's python3-build and python3-hatchling are needed): %w", module, err)
	}
	built, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	for _, one := range built {
		data, err := os.ReadFile(filepath.Join(to, one.Name()))
		if err != nil {
			return err
		}
		if err := r.keep(one.Name(), data); err != nil {
			return err
		}
	}
	return nil
}

// pythonProgram is the interpreter that Debian's packages are for, or the one on the PATH.
func pythonProgram() string {
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		return "/usr/bin/python3"
	}
	return "python3"
}

// numbered matches the pre-releases that versions of Python packages have too.
var numbered = regexp.MustCompile(`^(alpha|beta|rc)\.?(\d+)$`)

// pythonVersion writes a semantic version as Python packages have it: v1.2.3-rc.1 is 1.2.3rc1. Other pre-releases are
// developments.
func pythonVersion(version string) string {
	number, pre, isPre := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	if !isPre {
		return number
	}
	if match := numbered.FindStringSubmatch(pre); match != nil {
		return number + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[match[1]] + match[2]
	}
	return number + ".dev0+" + strings.ToLower(strings.ReplaceAll(pre, "-", "."))
}
