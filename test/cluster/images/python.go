// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"fmt"
	"strings"
)

// pythonPackages are the packages of the image; apt adds their dependencies.
var pythonPackages = []string{
	"python3-minimal", "libpython3-stdlib", "bash", "dash", "coreutils", "tar", "grep", "sed", "findutils",
}

// unwanted are the prefixes of paths that programs do not need.
var unwanted = []string{
	"usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/bug",
	"usr/share/perl5",
	"usr/share/common-licenses", "usr/share/base-files", "usr/share/menu", "usr/share/debianutils", "usr/share/dpkg",
	"usr/share/python3",
	"usr/share/bash-completion", "usr/share/polkit-1", "usr/lib/dpkg", "usr/lib/systemd", "usr/sbin", "usr/bin/dpkg",
	"usr/bin/dpkg-deb", "usr/bin/mawk", "usr/bin/py3versions",
	"var", "etc", "usr/include", "usr/share/pixmaps", "usr/share/applications", "usr/share/readline", "usr/share/zoneinfo",
}

// Python writes an image with Python 3, bash, tar and the core utilities of Debian.
func Python(ctx context.Context, downloads, out string) error {
	content := tree{}
	if err := unpack(ctx, content, downloads, pythonPackages, wanted); err != nil {
		return err
	}
	for _, dir := range mergedDirs {
		content.symlink(dir, "usr/"+dir)
		if _, ok := content["usr/"+dir]; !ok {
			content.dir("usr/"+dir, 0o755)
		}
	}
	// Debian's maintainer scripts create this link, but nothing runs them here.
	content.symlink("usr/bin/sh", "dash")
	if _, ok := content["usr/bin/python3"]; !ok {
		return fmt.Errorf("the packages %v have no /usr/bin/python3", pythonPackages)
	}
	return withPause(ctx, content, PythonTag, "sandbox-python", out)
}

func wanted(at string) bool {
	for _, prefix := range unwanted {
		if at == prefix || strings.HasPrefix(at, prefix+"/") {
			return false
		}
	}
	return !strings.Contains(at, "/__pycache__") && !strings.Contains(at, "/gconv/")
}
