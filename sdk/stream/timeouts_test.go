// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDefaultPatienceNoticesWithinAMinute(t *testing.T) {
	if p := DefaultTimeouts(); p.Idle+2*p.PingInterval > time.Minute || p.Response > time.Minute ||
		p.Idle < 6*p.PingInterval {
		t.Errorf("%+v", p)
	}
}

func TestShortInputIsKnownToBeShort(t *testing.T) {
	directory := t.TempDir()
	file := func(name string, size int) *os.File {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	pipe, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	defer pipe.Close()
	if !fitsInPipe(file("small", pipeCapacity)) || fitsInPipe(file("large", pipeCapacity+1)) || !fitsInPipe(null) ||
		fitsInPipe(pipe) ||
		!fitsInPipe(strings.NewReader("x")) ||
		fitsInPipe(bytes.NewReader(make([]byte, pipeCapacity+1))) {
		t.Error("an input is judged wrongly")
	}
}
