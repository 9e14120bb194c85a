// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package modules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/tools/modules"
)

const isc = `Copyright (c) 2026 Somebody

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
`

func TestTheLicencesOfAModule(t *testing.T) {
	apache, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		files map[string]string
		want  []string // none: it is an error
	}{
		"one":                {map[string]string{"LICENSE": string(apache)}, []string{"Apache-2.0"}},
		"under another name": {map[string]string{"licence.txt": isc}, []string{"ISC"}},
		"two, and no other files": {
			map[string]string{"LICENSE": string(apache), "COPYING": isc, "README": isc}, []string{"Apache-2.0", "ISC"},
		},
		"none":                        {map[string]string{"README": isc}, nil},
		"one that nobody knows":       {map[string]string{"LICENSE": "You may look at this on Sundays."}, nil},
		"a notice says no licence":    {map[string]string{"NOTICE": "This product includes a licence."}, nil},
		"one that is only mentioned ": {map[string]string{"LICENSE": strings.Repeat("Ask the author. ", 200) + isc}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := modules.Module{Path: "example.com/x", Dir: t.TempDir()}
			for file, text := range tt.files {
				if err := os.WriteFile(filepath.Join(m.Dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := m.Licences()
			if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestTextsAreLicencesAndNotices(t *testing.T) {
	m := modules.Module{Path: "example.com/x", Dir: t.TempDir()}
	for _, file := range []string{"LICENSE-MIT", "NOTICE", "main.go", "README.md"} {
		if err := os.WriteFile(filepath.Join(m.Dir, file), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(m.Dir, "LICENSES"), 0o700); err != nil {
		t.Fatal(err)
	}
	texts, err := m.Texts()
	if err != nil || len(texts) != 2 || texts[0].Name != "LICENSE-MIT" || string(texts[1].Content) != "NOTICE" {
		t.Errorf("got %v, %v", texts, err)
	}
}
