// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/test/screen"
	"github.com/agent-sandbox/kubectl-sandbox/tui"
	"github.com/agent-sandbox/kubectl-sandbox/tui/restore"
)

// runFaulty runs a dashboard with a fault: a panic in a library's goroutine or in the dashboard's own. The test kills
// it for the third fault.
func runFaulty(fault string) int {
	if len(os.Args) > 1 && os.Args[1] == "restore" {
		if err := restore.Wait(os.Stdin, os.Stdout, os.Stderr); err != nil {
			return 1
		}
		return 0
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return 1
	}
	o := tui.Options{
		Sandboxes: versioned.NewForConfigOrDie(config), Kubernetes: kubernetes.NewForConfigOrDie(config),
		Clock: clock.RealClock{}, RestoreArgs: []string{"restore"}, TTY: os.Stdout,
	}
	switch fault {
	case "library":
		time.AfterFunc(2*time.Second, func() { panic("injected") })
	case "ours":
		o.Clock = &faultyClock{WithTicker: clock.RealClock{}, until: time.Now().Add(2 * time.Second)}
	}
	if err := tui.Run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	return 0
}

type faultyClock struct {
	clock.WithTicker
	until time.Time
}

func (c *faultyClock) Now() time.Time {
	now := c.WithTicker.Now()
	if now.After(c.until) {
		panic("injected")
	}
	return now
}

func TestTheTerminalIsRestoredWhateverHappens(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"library", "ours", "killed"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = []string{faultVariable + "=" + fault, "KUBECONFIG=" + server.Kubeconfig()}
			s := screen.Start(t, 120, 30, cmd)
			s.Until("all namespaces")
			if s.Restored() {
				t.Error("the terminal was never changed")
			}
			if fault == "killed" {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.End(); err == nil {
				t.Error("the dashboard ended without an error")
			}
			s.UntilTrue("the restored terminal", func(string) bool { return s.Restored() })
			if fault != "killed" {
				s.Until("injected")
			}
		})
	}
}
