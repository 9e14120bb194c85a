// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"bytes"
	"context"
	"debug/elf"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

//go:embed pause/pause.c
var pauseSource []byte

// unprivileged is the user of the images with one program.
const unprivileged = "65532"

func architecture() string { return runtime.GOARCH }

func labels(title, version string) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":    title,
		"org.opencontainers.image.version":  version,
		"org.opencontainers.image.source":   "https://github.com/agent-sandbox/kubectl-sandbox",
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
}

// Programs whose images have nothing else in them.
const (
	OperatorProgram = "agent-sandbox-controller"
	RouterProgram   = "sandbox-router"
	RuntimeProgram  = "sandbox-runtime"
)

// Program writes an image that runs one static program, which is at its root, as an unprivileged user. It fails if the
// program needs a dynamic linker, which the image does not have.
func Program(program, binary, tag, out string) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read the binary of %s: %w", program, err)
	}
	if err := requireStatic(data); err != nil {
		return fmt.Errorf("%s: %w", binary, err)
	}
	content := tree{}
	content.file(program, 0o755, data)
	content.dir("tmp", 0o1777)
	content.file("etc/passwd", 0o644,
		[]byte("root:x:0:0:root:/:/none\nnonroot:x:"+unprivileged+":"+unprivileged+":nonroot:/tmp:/none\n"))
	return save(tag, content, v1.Config{
		Entrypoint: []string{"/" + program},
		User:       unprivileged + ":" + unprivileged,
		WorkingDir: "/",
		Labels:     labels(program, tag[strings.LastIndex(tag, ":")+1:]),
	}, out)
}

func requireStatic(program []byte) error {
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return fmt.Errorf("not a Linux program: %w", err)
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			return fmt.Errorf("dynamically linked; build it with CGO_ENABLED=0")
		}
	}
	return nil
}

// Pause writes the image of the container that holds a Pod's namespaces.
func Pause(ctx context.Context, out string) error {
	program, err := pauseProgram(ctx)
	if err != nil {
		return err
	}
	content := tree{}
	content.file("pause", 0o755, program)
	return save(PauseTag, content, v1.Config{
		Entrypoint: []string{"/pause"}, User: "65535:65535", Labels: labels("pause", "3.10"),
	}, out)
}

// pauseProgram compiles the pause program statically, so that it runs in any image.
func pauseProgram(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pause-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	built := filepath.Join(dir, "pause")
	cmd := exec.CommandContext(ctx, "gcc", "-x", "c", "-Os", "-static", "-s", "-Wl,--build-id=none", "-o", built, "-")
	cmd.Stdin = bytes.NewReader(pauseSource)
	if log, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the pause program: %w\n%s", err, log)
	}
	return os.ReadFile(built)
}

// accounts adds what programs expect of a system, such as users, home directories and a directory for temporary files.
func accounts(content tree) {
	content.file("etc/passwd", 0o644,
		[]byte("root:x:0:0:root:/root:/bin/sh\nsandbox:x:1000:1000:sandbox:/home/sandbox:/bin/sh\n"+
			"nobody:x:65534:65534:nobody:/:/bin/sh\n"))
	content.file("etc/group", 0o644, []byte("root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"))
	// A static program crashes if the C library loads a module for a database that is not listed here.
	content.file("etc/nsswitch.conf", 0o644,
		[]byte("passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\n"+
			"protocols: files\nnetworks: files\nethers: files\nrpc: files\n"))
	content.file("etc/services", 0o644, []byte("domain 53/tcp\ndomain 53/udp\nhttp 80/tcp\nhttps 443/tcp\n"))
	content.dir("root", 0o755)
	content.dir("home/sandbox", 0o777)
	content.dir("tmp", 0o1777)
	content.dir("workspace", 0o777)
	for _, dir := range []string{"proc", "sys", "dev", "run", "var/tmp"} {
		content.dir(dir, 0o755)
	}
}

func interactive(title string) v1.Config {
	return v1.Config{
		Cmd:        []string{"/pause"},
		Env:        []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "LANG=C.UTF-8"},
		WorkingDir: "/",
		Labels:     labels(title, "v1"),
	}
}

// shellPackages are the packages of the shell image.
var shellPackages = []string{"busybox-static"}

// Shell writes an image with only busybox. Its default command exits at once on SIGTERM.
func Shell(ctx context.Context, downloads, out string) error {
	content := tree{}
	if err := unpack(ctx, content, downloads, shellPackages, func(at string) bool {
		return at == "usr/bin/busybox"
	}); err != nil {
		return err
	}
	busybox, ok := content["usr/bin/busybox"]
	if !ok {
		return fmt.Errorf("package busybox-static has no /bin/busybox")
	}
	shell := tree{}
	shell.file("bin/busybox", 0o755, busybox.data)
	applets, err := appletsOf(ctx, busybox.data)
	if err != nil {
		return err
	}
	for _, applet := range applets {
		if applet != "busybox" { // a link to itself would replace the program
			shell.symlink("bin/"+applet, "busybox")
		}
	}
	shell.symlink("usr/bin/env", "../../bin/busybox")
	return withPause(ctx, shell, ShellTag, "sandbox-shell", out)
}

// withPause adds the pause program and accounts to an image for sandboxes, and saves it.
func withPause(ctx context.Context, content tree, tag, title, out string) error {
	pause, err := pauseProgram(ctx)
	if err != nil {
		return err
	}
	content.file("pause", 0o755, pause)
	accounts(content)
	return save(tag, content, interactive(title), out)
}

// appletsOf returns the names of a busybox's applets.
func appletsOf(ctx context.Context, program []byte) ([]string, error) {
	dir, err := os.MkdirTemp("", "busybox-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "busybox")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, file, "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("list busybox's applets: %w", err)
	}
	return strings.Fields(string(out)), nil
}
