// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package file

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestASecretFollowsItsFileAndOutlivesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("  first-key\n")
	secret, err := Read(path, 8)
	if err != nil || string(secret.Bytes()) != "first-key" {
		t.Fatalf("%q, %v", secret.Bytes(), err)
	}
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); Follow(ctx, clk, logr.Discard(), nil, secret) }()
	becomes := func(want string) {
		t.Helper()
		err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true,
			func(context.Context) (bool, error) {
				clk.Step(interval)
				return string(secret.Bytes()) == want, nil
			})
		if err != nil {
			t.Fatalf("it is %q, want %q", secret.Bytes(), want)
		}
	}
	write("second-key")
	becomes("second-key")
	write("short") // as a file that is being written
	clk.Step(interval)
	clk.Step(interval)
	becomes("second-key")
	write("third-key")
	becomes("third-key")
	cancel()
	<-done
}

func TestAWeakOrMissingSecretIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if _, err := Read(path, 8); err == nil {
		t.Error("a missing file")
	}
	if err := os.WriteFile(path, []byte("secret \n\n\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, 8); err == nil || strings.Contains(err.Error(), "secret \n") || !strings.Contains(err.Error(),
		"6 bytes") {
		t.Errorf("a short one: %v", err)
	}
	var none *Secret
	if none.Bytes() != nil {
		t.Error("none has a content")
	}
}
