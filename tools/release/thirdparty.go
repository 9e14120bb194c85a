// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/tools/modules"
)

// thirdPartyFile has the licences and notices of the modules that a program contains. They ask for that.
const thirdPartyFile = "THIRD_PARTY_LICENSES"

// thirdParty returns the texts for a program on a platform, with those of Go itself.
func (r *release) thirdParty(p platform, program string) ([]byte, error) {
	goroot, err := r.command(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	all, err := modules.Of(r.root, []modules.Platform{{OS: p.os, Arch: p.arch}}, "./cmd/"+program)
	if err != nil {
		return nil, err
	}
	standard := modules.Module{Path: "Go, its runtime and standard library", Dir: strings.TrimSpace(string(goroot))}
	return notices(append([]modules.Module{standard}, all...))
}

// notices joins the texts of modules. A module without a licence is an error.
func notices(all []modules.Module) ([]byte, error) {
	out := &bytes.Buffer{}
	for _, m := range all {
		texts, err := m.Texts()
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("module %s has no licence", m.Path)
		}
		for _, text := range texts {
			fmt.Fprintf(out, "%s\n%s: %s\n\n%s\n\n", strings.Repeat("=", 80), strings.TrimSpace(m.Path+" "+m.Version), text.Name,
				bytes.TrimSpace(text.Content))
		}
	}
	return out.Bytes(), nil
}
