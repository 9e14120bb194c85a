// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

var then = time.Date(2026, 11, 28, 1, 2, 3, 456, time.FixedZone("somewhere", 3600))

func TestArchivesAreTheSameWhateverTheOrderAndTheZone(t *testing.T) {
	a := []entry{{"kubectl-sandbox", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("text")}}
	b := []entry{a[1], a[0]}
	for name, write := range map[string]func(io.Writer, []entry, time.Time) error{"tar.gz": writeTarGz, "zip": writeZip} {
		var one, two bytes.Buffer
		if err := errors.Join(write(&one, a, then), write(&two, b, then.UTC())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: the bytes differ", name)
		}
	}
}

func TestArchivesHoldFilesOfNobody(t *testing.T) {
	entries := []entry{{"kubectl-sandbox", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("text")}}
	var packed bytes.Buffer
	if err := writeTarGz(&packed, entries, then); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	reader := tar.NewReader(unzipped)
	seen := map[string]int64{}
	for {
		h, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		seen[h.Name] = h.Mode
		if h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || !h.ModTime.Equal(then.Truncate(time.Second)) {
			t.Errorf("%s: %+v", h.Name, h)
		}
	}
	if seen["kubectl-sandbox"] != 0o755 || seen["LICENSE"] != 0o644 || len(seen) != 2 {
		t.Errorf("modes %v", seen)
	}
}

func TestZipKeepsModes(t *testing.T) {
	var packed bytes.Buffer
	if err := writeZip(&packed, []entry{{"kubectl-sandbox.exe", 0o755, []byte("program")}}, then); err != nil {
		t.Fatal(err)
	}
	reader, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if got := reader.File[0]; got.Name != "kubectl-sandbox.exe" || got.Mode().Perm() != 0o755 {
		t.Errorf("%s has the mode %v", got.Name, got.Mode())
	}
}

func templateText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../krew/plugin.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestManifestNamesEachArchiveWithItsChecksum(t *testing.T) {
	const digits = "0123456789012345678901234567890123456789012345678901234567890123"
	sums := map[string]string{}
	for _, p := range platforms() {
		sums[p.archive("v1.2.3")] = digits
	}
	text, err := manifest(templateText(t), "agent-sandbox", "v1.2.3", platforms(), released("http://x", "v1.2.3", sums))
	if err != nil {
		t.Fatal(err)
	}
	var plugin struct {
		Metadata struct{ Name string }
		Spec     struct {
			Version, ShortDescription, Caveats string
			Platforms                          []struct{ URI, SHA256, Bin string }
		}
	}
	if err := yaml.Unmarshal(text, &plugin); err != nil {
		t.Fatal(err)
	}
	if plugin.Metadata.Name != "agent-sandbox" || plugin.Spec.Version != "v1.2.3" ||
		len(plugin.Spec.ShortDescription) > 50 {
		t.Errorf("%+v", plugin)
	}
	if !strings.Contains(plugin.Spec.Caveats, "kubectl agent-sandbox install") {
		t.Errorf("the caveats call it by another name: %s", plugin.Spec.Caveats)
	}
	if len(plugin.Spec.Platforms) != 5 {
		t.Fatalf("%d platforms", len(plugin.Spec.Platforms))
	}
	for i, p := range platforms() {
		got := plugin.Spec.Platforms[i]
		if got.SHA256 != digits || got.URI != "http://x/"+p.archive("v1.2.3") || got.Bin != p.binary() {
			t.Errorf("%v: %+v", p, got)
		}
	}
}

func TestTheBotsTemplateIsWhatTheReleaseProgramPrints(t *testing.T) {
	want, err := manifest(templateText(t), publicIndexName, "{{ .TagName }}", platforms(), forBot)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../.krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("run: go run -C tools ./release -bot > .krew.yaml")
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.2.3": true, "v0.1.0-rc.1": true, "1.2.3": false, "v1.2": false, "v1.2.3-dirty+x": false, "": false,
		"v01.2.3": false, "v1.2.3; x": false,
	} {
		if semantic.MatchString(version) != want {
			t.Errorf("%q: accepted is %t", version, !want)
		}
	}
}

func TestBillNamesEveryModuleOnceAndThePlatform(t *testing.T) {
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.com/x"}, Deps: []*debug.Module{
		{Path: "k8s.io/api", Version: "v0.37.2"},
		{Path: "example.com/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/new", Version: "v2.0.0"}},
	}, Settings: []debug.BuildSetting{
		{Key: "CGO_ENABLED", Value: "0"}, {Key: "GOARCH", Value: "arm64"}, {Key: "GOOS", Value: "linux"},
	}}
	bom := document(info, "kubectl-sandbox", "v1.2.3", then)
	var got []string
	for _, c := range *bom.Components {
		got = append(got, c.PackageURL)
	}
	want := "pkg:golang/stdlib@go1.26.0 pkg:golang/k8s.io/api@v0.37.2 pkg:golang/example.com/new@v2.0.0"
	if strings.Join(got, " ") != want ||
		bom.Metadata.Component.PackageURL != "pkg:golang/example.com/x@v1.2.3?goarch=arm64&goos=linux" ||
		bom.SerialNumber != "" {
		t.Errorf("components %q of %q", got, bom.Metadata.Component.PackageURL)
	}
}

func TestArchivesAreNamedAfterProgramAndPlatform(t *testing.T) {
	for p, want := range map[platform][2]string{
		{"linux", "arm64"}:   {"kubectl-sandbox_v1.2.3_linux_arm64.tar.gz", "kubectl-sandbox"},
		{"windows", "amd64"}: {"kubectl-sandbox_v1.2.3_windows_amd64.zip", "kubectl-sandbox.exe"},
	} {
		if got := [2]string{p.archive("v1.2.3"), p.binary()}; got != want {
			t.Errorf("%v: %q", p, got)
		}
	}
	if got := (platform{"linux", "amd64"}).stem(server, "v1.2.3"); got != "sandbox-runtime_v1.2.3_linux_amd64" {
		t.Error(got)
	}
}
