// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The cluster of `make demo` pulls no images. So that the commands of a guide work there, each guide names its images
// once, in a variable, and says in a comment what to set it to.

var (
	// namedImage matches an image in a command or a manifest.
	namedImage = regexp.MustCompile(`(?:--image[ =]|\bimage: )"?([^\s"]+)`)
	// imageVariable matches the assignment of an image to a variable.
	imageVariable = regexp.MustCompile(`^(?:\$ )?(IMAGE|RUNTIME)=\S+ +# in the cluster of make demo: (\w+)=localhost/\S+$`)
	// usedVariable matches the use of such a variable.
	usedVariable = regexp.MustCompile(`\$(IMAGE|RUNTIME)\b`)
)

// checkImages returns what keeps the commands of a page from running in the cluster of `make demo`.
func checkImages(page *Page, hasImage func(example string) bool) []string {
	var problems []string
	set := map[string]bool{}
	for i := range page.Blocks {
		block := &page.Blocks[i]
		if block.NotRun != "" || !block.Commands() {
			continue
		}
		for line := range strings.Lines(block.Text) {
			line = strings.TrimSpace(line)
			if match := imageVariable.FindStringSubmatch(line); match != nil && match[1] == match[2] {
				set[match[1]] = true
			} else if strings.Contains(line, "IMAGE=") || strings.Contains(line, "RUNTIME=") {
				problems = append(problems, line+": say what to set in the cluster of make demo")
			}
			for _, match := range namedImage.FindAllStringSubmatch(line, -1) {
				if !strings.HasPrefix(match[1], "$") && !strings.Contains(match[1], "no-such-image") {
					problems = append(problems, line+": use $IMAGE")
				}
			}
			for _, match := range usedVariable.FindAllStringSubmatch(line, -1) {
				if !set[match[1]] {
					problems = append(problems, line+": set "+match[1]+" first")
				}
			}
		}
		problems = append(problems, checkApplied(block, hasImage)...)
	}
	return problems
}

// checkApplied finds examples that commands apply with images that the cluster cannot pull.
func checkApplied(block *Block, hasImage func(example string) bool) []string {
	var problems []string
	calls, err := Calls(block.script())
	if err != nil {
		return []string{err.Error()}
	}
	for _, call := range calls {
		if len(call) < 2 || call[0] != "kubectl" || call[1] != "apply" ||
			slices.ContainsFunc(call, func(word string) bool { return strings.HasPrefix(word, "--dry-run") }) {
			continue
		}
		for _, word := range call {
			if strings.HasPrefix(word, "examples/") && hasImage(word) {
				problems = append(problems, fmt.Sprintf("%s has an image: replace it by $IMAGE (sed)", word))
			}
		}
	}
	return problems
}

// script returns all commands of a block.
func (b *Block) script() string {
	var all strings.Builder
	for _, step := range b.Steps() {
		all.WriteString(step.Script)
	}
	return all.String()
}

func TestTheCommandsOfTheGuidesNeedNoImageThatTheDemoLacks(t *testing.T) {
	hasImage := func(example string) bool {
		text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(example)))
		if err != nil {
			t.Errorf("%s: %v", example, err)
		}
		return strings.Contains(string(text), "image: ")
	}
	checked := 0
	for _, page := range pages(t) {
		if page.Path != "README.md" && !strings.HasPrefix(page.Path, "docs/guides/") {
			continue
		}
		checked++
		for _, problem := range checkImages(&page, hasImage) {
			t.Errorf("%s: %s", page.Path, problem)
		}
	}
	if checked < 10 {
		t.Errorf("checked only %d pages", checked)
	}
}

func TestImagesThatTheDemoLacksAreFound(t *testing.T) {
	const set = "IMAGE=debian:12 # in the cluster of make demo: IMAGE=localhost/sandbox-shell:v1\n"
	for script, says := range map[string]string{
		set + "kubectl sandbox create a --image \"$IMAGE\"\n": "",
		"kubectl sandbox create a --image debian:12\n":        "use $IMAGE",
		"kubectl sandbox create a --image \"$IMAGE\"\n":       "set IMAGE first",
		"IMAGE=debian:12\n": "say what to set",
		"kubectl sandbox create a --image localhost/no-such-image:v1\n":             "",
		set + "kubectl apply -f - <<YAML\nimage: $IMAGE\nYAML\n":                    "",
		"kubectl apply -f - <<YAML\nimage: debian:12\nYAML\n":                       "use $IMAGE",
		"kubectl apply -f examples/with-image.yaml\n":                               "has an image",
		"kubectl apply --dry-run=server -f examples/with-image.yaml\n":              "",
		"kubectl apply -f examples/without.yaml\n":                                  "",
		set + "sed \"s|a|$IMAGE|\" examples/with-image.yaml | kubectl apply -f -\n": "",
	} {
		page := Page{Blocks: []Block{{Language: Shell, Text: script}}}
		got := strings.Join(checkImages(&page, func(example string) bool {
			return strings.Contains(example, "with-image")
		}), "\n")
		if says == "" && got != "" || !strings.Contains(got, says) {
			t.Errorf("%q: got %q, want %q", script, got, says)
		}
	}
}
