// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// repository makes a git repository with these files in the directory of the chart, and one that git does not know.
func repository(t *testing.T, files map[string]string) *release {
	t.Helper()
	r := &release{root: t.TempDir(), out: t.TempDir(), version: "v1.2.3-rc.1", date: then, sums: map[string]string{}}
	write := func(name, text string) {
		name = filepath.Join(r.root, chartDirectory, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}} {
		if _, err := r.command(nil, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	write("left-over.tgz", "not for anybody")
	return r
}

func TestTheChartIsPackedWithTheReleasesVersion(t *testing.T) {
	r := repository(t, map[string]string{
		"Chart.yaml":                "apiVersion: v2\nname: agent-sandbox\nversion: 0.0.0\nappVersion: old\nkeywords: [a]\n",
		"values.yaml":               "replicaCount: 1\n",
		"templates/deployment.yaml": "kind: Deployment\n",
	})
	if err := r.chart(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"agent-sandbox/Chart.yaml": "apiVersion: v2\nname: agent-sandbox\nversion: 1.2.3-rc.1\n" +
			"appVersion: v1.2.3-rc.1\nkeywords: [a]\n",
		"agent-sandbox/values.yaml":               "replicaCount: 1\n",
		"agent-sandbox/templates/deployment.yaml": "kind: Deployment\n",
	}
	if got := unpacked(t, filepath.Join(r.out, "agent-sandbox-1.2.3-rc.1.tgz")); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTheChartOfThisTreeHasTheFilesThatItLinksTo packs a copy of the tree's chart with what its symbolic links lead to.
func TestTheChartOfThisTreeHasTheFilesThatItLinksTo(t *testing.T) {
	const tree = "../.."
	r := &release{root: t.TempDir(), out: t.TempDir(), version: "v1.2.3", date: then, sums: map[string]string{}}
	linked := map[string]string{
		"apis/crds/agents": "crds/agents", "apis/crds/extensions": "crds/extensions",
		"operator/install/manifests": "manifests", "operator/monitoring": "monitoring",
	}
	for directory := range linked {
		copyInto(t, r.root, tree, directory)
	}
	copyInto(t, r.root, tree, chartDirectory)
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}} {
		if _, err := r.command(nil, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.chart(); err != nil {
		t.Fatal(err)
	}
	packed := unpacked(t, filepath.Join(r.out, "agent-sandbox-1.2.3.tgz"))
	for directory, inside := range linked {
		files, err := filepath.Glob(filepath.Join(tree, directory, "*.*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", directory, files, err)
		}
		for _, file := range files {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if name := path.Join("agent-sandbox/files", inside, filepath.Base(file)); packed[name] != string(want) {
				t.Errorf("%s of the package is not %s", name, file)
			}
		}
	}
}

func copyInto(t *testing.T, root, tree, directory string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(root, directory), os.DirFS(filepath.Join(tree, directory))); err != nil {
		t.Fatal(err)
	}
}

func TestATreeWithoutAChartHasNoPackage(t *testing.T) {
	r := repository(t, nil)
	if err := r.chart(); err != nil || len(r.sums) != 0 {
		t.Errorf("%v, files %v", err, r.sums)
	}
}

func TestAChartWithoutAVersionIsRefused(t *testing.T) {
	if err := repository(t, map[string]string{"Chart.yaml": "name: x\n"}).chart(); err == nil {
		t.Error("it was packed")
	}
}

func unpacked(t *testing.T, name string) map[string]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(data)
	}
}
