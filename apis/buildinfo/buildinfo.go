// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package buildinfo describes the running build. The linker sets the values; a build without them has placeholders.
package buildinfo

import (
	"regexp"
	"runtime"
	"strings"
)

// The flag -X of the linker sets these variables.
//
//nolint:gochecknoglobals // the linker sets only variables
var (
	version = "v0.0.0-dev"
	commit  = "unknown"
	date    = "unknown"
)

// Info describes a build.
type Info struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"`
	Date      string `json:"date"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

// Get returns the running build.
func Get() Info {
	return Info{
		Version: version, Commit: commit, Date: date,
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// releasePattern matches the versions of releases. The version of a commit after a release has a suffix that it does
// not match.
var releasePattern = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)(\.[0-9]+)?)?$`)

// IsRelease reports whether a version is a release, whose images are published.
func IsRelease(version string) bool {
	return releasePattern.MatchString(version) && !strings.HasPrefix(version, "v0.0.0")
}

// String returns the build in one line for display.
func (i Info) String() string {
	return i.Version + " (commit " + i.Commit + ", " + i.GoVersion + ", " + i.Platform + ")"
}
