// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package confine

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestWhatIsLeftRunningHoldsNoFileOfItsStarter(t *testing.T) {
	fd, err := syscall.Dup(int(os.Stderr.Fd())) // inherited by child processes, like a lock of a shell
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	inherited := func() bool { return exec.Command("test", "-e", fmt.Sprintf("/proc/self/fd/%d", fd)).Run() == nil }
	if !inherited() {
		t.Fatal("the file is not inherited in the first place")
	}
	if err := closeInheritedOnExec(); err != nil {
		t.Fatal(err)
	}
	if inherited() {
		t.Error("a process that was started later still inherits the file")
	}
}
