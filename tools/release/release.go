// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const module = "github.com/agent-sandbox/kubectl-sandbox"

// The programs that have archives.
const (
	plugin = "kubectl-sandbox"
	server = "sandbox-runtime" // runs in Linux containers only
)

// inImages are the programs that have only images, for Linux. A release has their bills of materials.
var inImages = [...]string{"agent-sandbox-controller", "sandbox-router"}

// release writes one version into a directory.
type release struct {
	root, out, version, commit string
	platforms                  []platform
	// date is the date of the commit. Archived files have it, and the programs print it.
	date time.Time
	// sums maps the files written so far to their SHA-256 in hexadecimal.
	sums map[string]string
}

// keep writes a file of the release.
func (r *release) keep(name string, data []byte) error {
	sum := sha256.Sum256(data)
	r.sums[name] = hex.EncodeToString(sum[:])
	fmt.Printf("%s  %s\n", r.sums[name][:12], name)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// build compiles a program for one platform.
func (r *release) build(p platform, program string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	info := module + "/apis/buildinfo"
	flags := fmt.Sprintf("-s -w -X %s.version=%s -X %s.commit=%s -X %s.date=%s",
		info, r.version, info, r.commit, info, r.date.Format(time.RFC3339))
	file := filepath.Join(dir, p.executable(program))
	// The user's settings for Go must not change the bytes: -mod=readonly is the default, and overrides `go env -w
	// GOFLAGS`.
	_, err = r.command(
		[]string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly"},
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", file, "./cmd/"+program,
	)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// archives writes an archive and a bill of materials for each program and platform, and the bills of the programs in
// images.
func (r *release) archives() error {
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		for _, program := range []string{plugin, server} {
			if program == server && p.os != "linux" {
				continue
			}
			if err := r.archive(p, program, license); err != nil {
				return err
			}
		}
		if p.os != "linux" {
			continue
		}
		for _, program := range inImages {
			binary, err := r.build(p, program)
			if err != nil {
				return err
			}
			if err := r.bill(p, program, binary); err != nil {
				return err
			}
		}
	}
	return nil
}

// bill writes the bill of materials of a program.
func (r *release) bill(p platform, program string, binary []byte) error {
	materials, err := bill(binary, program, r.version, r.date)
	if err != nil {
		return err
	}
	return r.keep(p.stem(program, r.version)+".cdx.json", materials)
}

func (r *release) archive(p platform, program string, license []byte) error {
	binary, err := r.build(p, program)
	if err != nil {
		return err
	}
	write := writeTarGz
	if p.os == "windows" {
		write = writeZip
	}
	others, err := r.thirdParty(p, program)
	if err != nil {
		return err
	}
	out := &bytes.Buffer{}
	entries := []entry{
		{p.executable(program), 0o755, binary}, {"LICENSE", 0o644, license}, {thirdPartyFile, 0o644, others},
	}
	if err := write(out, entries, r.date); err != nil {
		return err
	}
	if err := r.keep(p.stem(program, r.version)+p.extension(), out.Bytes()); err != nil {
		return err
	}
	return r.bill(p, program, binary)
}

// operator writes the manifests that the plugin of this version installs, as the plugin prints them.
func (r *release) operator() error {
	here := platform{runtime.GOOS, runtime.GOARCH}
	binary, err := r.build(here, plugin)
	if err != nil {
		return err
	}
	file := filepath.Join(r.out, "."+here.binary())
	if err := os.WriteFile(file, binary, 0o755); err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }()
	for name, args := range map[string][]string{
		"agent-sandbox.yaml":      {"install", "--export"},
		"agent-sandbox-core.yaml": {"install", "--export", "--core-only"},
		// all of it, with a router
		"agent-sandbox-router.yaml": {"install", "--export", "--router"},
	} {
		manifests, err := r.command([]string{"KUBECONFIG=" + os.DevNull}, file, args...)
		if err != nil {
			return err
		}
		if err := r.keep(name, manifests); err != nil {
			return err
		}
	}
	return nil
}

// krew writes the manifests for krew under both names.
func (r *release) krew(text, base string) error {
	for _, name := range []string{ownIndexName, publicIndexName} {
		rendered, err := manifest(text, name, r.version, r.platforms, released(base, r.version, r.sums))
		if err != nil {
			return err
		}
		// krew takes the plugin's name from the file name. The directory separates these files from the operator's
		// manifests.
		if err := os.MkdirAll(filepath.Join(r.out, "krew"), 0o755); err != nil {
			return err
		}
		if err := r.keep("krew/"+name+".yaml", rendered); err != nil {
			return err
		}
	}
	return nil
}

// checksums writes the SHA-256 of every file, as `sha256sum --check` reads it.
func (r *release) checksums() error {
	out := &strings.Builder{}
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(out, "%s  %s\n", r.sums[name], name)
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(out.String()), 0o644)
}
