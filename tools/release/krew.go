// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"path"
	"text/template"
)

const releases = "https://github.com/agent-sandbox/kubectl-sandbox/releases/download"

// The plugin has two names: `sandbox` in our own index, and `agent-sandbox` in the public index, whose naming guide
// refuses words as general as "sandbox".
const (
	ownIndexName    = "sandbox"
	publicIndexName = "agent-sandbox"
)

// platform is an operating system and an architecture, in the words that Go and krew use.
type platform struct{ os, arch string }

func platforms() []platform {
	return []platform{
		{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"},
	}
}

// selected returns all platforms, or only the named one.
func selected(name string) ([]platform, error) {
	if name == "" {
		return platforms(), nil
	}
	for _, p := range platforms() {
		if p.os+"/"+p.arch == name {
			return []platform{p}, nil
		}
	}
	return nil, fmt.Errorf("there is no platform %q among %v", name, platforms())
}

func (p platform) binary() string { return p.executable(plugin) }

// executable returns the file name of a program.
func (p platform) executable(program string) string {
	if p.os == "windows" {
		return program + ".exe"
	}
	return program
}

// archive returns the file name of the plugin's archive in a release.
func (p platform) archive(version string) string {
	return p.stem(plugin, version) + p.extension()
}

func (p platform) extension() string {
	if p.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// stem returns the file name of a program's archive without its extension.
func (p platform) stem(program, version string) string {
	return fmt.Sprintf("%s_%s_%s_%s", program, version, p.os, p.arch)
}

// manifest renders the plugin manifest for krew. The function source returns the lines that locate a platform's
// archive.
func manifest(text, name, version string, to []platform, source func(platform) string) ([]byte, error) {
	type line struct{ OS, Arch, Binary, Source string }
	var lines []line
	for _, p := range to {
		lines = append(lines, line{p.os, p.arch, p.binary(), source(p)})
	}
	parsed, err := template.New("plugin.yaml").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	out := &bytes.Buffer{}
	err = parsed.Execute(out, map[string]any{"Name": name, "Version": version, "Platforms": lines})
	return out.Bytes(), err
}

// released returns the URL and the checksum of an archive. It quotes checksums, because YAML reads digits as a number.
func released(base, version string, sums map[string]string) func(platform) string {
	return func(p platform) string {
		file := p.archive(version)
		return fmt.Sprintf("uri: %s/%s\n    sha256: %q", base, file, sums[file])
	}
}

// forBot returns a template for URL and checksum, which the release bot of the public index fills in.
func forBot(p platform) string {
	return fmt.Sprintf(
		"{{addURIAndSha %q .TagName }}", releases+"/"+path.Join("{{ .TagName }}", p.archive("{{ .TagName }}")),
	)
}
