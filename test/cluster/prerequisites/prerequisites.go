// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package prerequisites installs the few programs and files that do not come from Go modules.
package prerequisites

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// requirement is a program or file that must exist, and the Debian package that contains it.
type requirement struct {
	program string // on PATH, or
	file    string // a pattern of paths, one of which must exist
	pkg     string
}

func requirements() []requirement {
	return []requirement{
		{program: "gcc", pkg: "gcc"},
		{program: "pkg-config", pkg: "pkg-config"},
		{file: "/usr/include/seccomp.h", pkg: "libseccomp-dev"},
		{file: "/usr/lib/*/libc.a", pkg: "libc6-dev"},
		{program: "iptables", pkg: "iptables"},
		{program: "nft", pkg: "nftables"},
		{program: "conntrack", pkg: "conntrack"},
		{program: "ip", pkg: "iproute2"},
		{program: "nsenter", pkg: "util-linux"},
		{program: "mount", pkg: "mount"},
		{program: "busybox", pkg: "busybox-static"}, // tests also copy with its programs
	}
}

// testRequirements are what tests and releases need besides: the Python client is tested and built with Debian's
// packages.
func testRequirements() []requirement {
	const modules = "/usr/lib/python3/dist-packages/"
	return []requirement{
		{program: "python3", pkg: "python3"},
		{program: "openssl", pkg: "openssl"},
		{program: "black", pkg: "black"},
		{program: "flake8", pkg: "flake8"},
		{program: "mypy", pkg: "mypy"},
		{file: modules + "build/__init__.py", pkg: "python3-build"},
		{file: modules + "hatchling/__init__.py", pkg: "python3-hatchling"},
		{file: modules + "httpx/__init__.py", pkg: "python3-httpx"},
		{file: modules + "kubernetes/__init__.py", pkg: "python3-kubernetes"},
		{file: modules + "pytest/__init__.py", pkg: "python3-pytest"},
		{file: modules + "pytest_asyncio/__init__.py", pkg: "python3-pytest-asyncio"},
		{file: modules + "websocket/__init__.py", pkg: "python3-websocket"},
	}
}

// Ensure installs missing packages with apt-get and reports that to progress. Without root or apt-get it fails, and the
// error lists the packages and the command that installs them.
func Ensure(ctx context.Context, progress io.Writer) error {
	return ensure(ctx, progress, requirements())
}

// EnsureTests is Ensure also for what only tests and releases need.
func EnsureTests(ctx context.Context, progress io.Writer) error {
	return ensure(ctx, progress, append(requirements(), testRequirements()...))
}

func ensure(ctx context.Context, progress io.Writer, required []requirement) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("a cluster needs Linux; this is %s", runtime.GOOS)
	}
	packages := missing(required, found)
	if len(packages) == 0 {
		return nil
	}
	cure := "apt-get update && apt-get install --no-install-recommends -y " + strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("this machine lacks what these Debian packages have, and it has no apt-get: %s; install their "+
			"like by hand",
			strings.Join(packages, ", "))
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("this machine lacks %s; run as root: %s", strings.Join(packages, ", "), cure)
	}
	_, _ = fmt.Fprintf(progress, "installing %s\n", strings.Join(packages, ", "))
	for _, args := range [][]string{
		{"update"},
		append([]string{"install", "--no-install-recommends", "-y"}, packages...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	if still := missing(required, found); len(still) > 0 {
		return fmt.Errorf("after installing them this machine still lacks what these packages should have: %s",
			strings.Join(still, ", "))
	}
	return nil
}

// RequireRoot fails for users other than root, who cannot create namespaces and mounts.
func RequireRoot() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("this needs root: it makes namespaces, mounts and control groups")
	}
	return nil
}

func missing(requirements []requirement, found func(requirement) bool) []string {
	var packages []string
	for _, one := range requirements {
		if !found(one) {
			packages = append(packages, one.pkg)
		}
	}
	return packages
}

func found(one requirement) bool {
	if one.file != "" {
		matches, err := filepath.Glob(one.file)
		return err == nil && len(matches) > 0
	}
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if info, err := os.Stat(filepath.Join(dir, one.program)); err == nil && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}
