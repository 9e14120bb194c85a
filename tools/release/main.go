// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command release writes a release into a directory: archives of the plugin for each platform and of the runtime for
// Linux, with their bills of materials, the manifests of the operator, the Helm chart, the Python client, the manifests
// for krew, and the checksums of all files. The same commit gives the same bytes, without a network. GoReleaser is not
// used, because it calls other programs for bills of materials and has no step for the manifests and the chart.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	root := flag.String("root", "..", "The repository.")
	out := flag.String("out", "dist", "The directory to write; what was in it goes.")
	version := flag.String("version", "", "The version, as v1.2.3.")
	base := flag.String("base-url", "", "Where the archives will be served from; the project's releases by default.")
	only := flag.String("platform", "", "Build for this platform alone, as linux/amd64: for a trial.")
	bot := flag.Bool("bot", false, "Print the release bot's template instead.")
	flag.Parse()
	if err := run(*root, *out, *version, *base, *only, *bot); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(root, out, version, base, only string, bot bool) error {
	text, err := os.ReadFile(filepath.Join(root, "krew", "plugin.yaml.tmpl"))
	if err != nil {
		return err
	}
	if bot {
		rendered, err := manifest(string(text), publicIndexName, "{{ .TagName }}", platforms(), forBot)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(rendered)
		return err
	}
	if !semantic.MatchString(version) {
		return fmt.Errorf("the version is %q: write it as v1.2.3 or v1.2.3-rc.1", version)
	}
	if base == "" {
		base = releases + "/" + version
	}
	r, err := newRelease(root, out, version)
	if err != nil {
		return err
	}
	if r.platforms, err = selected(only); err != nil {
		return err
	}
	for _, step := range []func() error{
		r.archives, r.operator, r.chart, r.python, func() error { return r.krew(string(text), base) }, r.checksums,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// semantic matches the versions that krew and Helm accept: semantic versions after a v.
var semantic = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// command runs a program in the repository and returns its output.
func (r *release) command(env []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = r.root, append(os.Environ(), env...), os.Stderr
	output, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return output, nil
}

func newRelease(root, out, version string) (*release, error) {
	r := &release{version: version, sums: map[string]string{}}
	var err error
	if r.root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	date, err := r.command([]string{"TZ=UTC"}, "git", "show", "--no-patch", "--format=%ct %H")
	if err != nil {
		return nil, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(date), &seconds, &r.commit); err != nil {
		return nil, fmt.Errorf("the date of the commit is %q: %w", date, err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	if err := os.RemoveAll(r.out); err != nil {
		return nil, err
	}
	return r, os.MkdirAll(r.out, 0o755)
}
