// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package buildinfo tells which build is running. The linker sets the values; a build without them says so.
package buildinfo

import (
	"regexp"
	"runtime"
	"strings"
)

// Set by the linker's -X flag.
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

// releasePattern is how releases are called; commits after one are called otherwise.
var releasePattern = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)(\.[0-9]+)?)?$`)

// IsRelease says whether a version is one whose images are published.
func IsRelease(version string) bool {
	return releasePattern.MatchString(version) && !strings.HasPrefix(version, "v0.0.0")
}

// String is one line for a person.
func (i Info) String() string {
	return i.Version + " (commit " + i.Commit + ", " + i.GoVersion + ", " + i.Platform + ")"
}
