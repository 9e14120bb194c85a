// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The base images have no shell and no package manager.
func TestTheImagesOfAReleaseHaveOnlyTheirProgramAndAreNotRunByRoot(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nARG BASE=gcr.io/distroless/static-debian12:nonroot\n") {
		t.Error("the default base is not distroless/static")
	}
	stages := strings.Split(string(text), "\nFROM ")[1:]
	seen := 0
	for _, stage := range stages {
		lines := strings.Split(strings.TrimSpace(stage), "\n")
		base, name, named := strings.Cut(lines[0], " AS ")
		if name == "build" {
			continue
		}
		seen++
		if !named || (base != "scratch" && base != "${BASE}") {
			t.Errorf("a stage is FROM %s", lines[0])
		}
		for _, line := range lines[1:] {
			word, rest, _ := strings.Cut(line, " ")
			switch word {
			case "RUN", "ADD", "SHELL", "CMD":
				t.Errorf("%s: %s", name, line)
			case "COPY":
				if rest != "--from=build /out/"+name+" /"+name {
					t.Errorf("%s copies %s", name, rest)
				}
			}
		}
		for _, want := range []string{"USER 65532:65532", `ENTRYPOINT ["/` + name + `"]`} {
			if !slices.Contains(lines, want) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
	if want := len(inImages) + 1; seen != want {
		t.Errorf("%d images, want %d", seen, want)
	}
}
