// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// bill returns, as CycloneDX JSON, the modules that the build information of a Go binary lists. It has no serial
// number, so that the same binary gives the same bytes.
func bill(binary []byte, name, version string, modified time.Time) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, err
	}
	out := &bytes.Buffer{}
	encoder := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	if err := encoder.Encode(document(info, name, version, modified)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// document returns the bill for build information that has been read.
func document(info *buildinfo.BuildInfo, name, version string, modified time.Time) *cyclonedx.BOM {
	bom := cyclonedx.NewBOM()
	main := purl(info.Main.Path, version) + qualifier(info)
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: modified.UTC().Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: main, Type: cyclonedx.ComponentTypeApplication, Name: name, Version: version, PackageURL: main,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		},
	}
	standard := &debug.Module{Path: "stdlib", Version: info.GoVersion}
	components := []cyclonedx.Component{}
	needs := []string{}
	for _, module := range append([]*debug.Module{standard}, info.Deps...) {
		if module.Replace != nil {
			module = module.Replace
		}
		ref := purl(module.Path, module.Version)
		needs = append(needs, ref)
		components = append(components, cyclonedx.Component{
			BOMRef: ref, Type: cyclonedx.ComponentTypeLibrary, Name: module.Path, Version: module.Version, PackageURL: ref,
		})
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main, Dependencies: &needs}}
	return bom
}

// qualifier distinguishes the binaries of one version. It is empty if the build information does not name a platform.
func qualifier(info *debug.BuildInfo) string {
	said := url.Values{}
	for _, setting := range info.Settings {
		if setting.Key == "GOARCH" || setting.Key == "GOOS" {
			said.Set(strings.ToLower(setting.Key), setting.Value)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "?" + said.Encode()
}

func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }
