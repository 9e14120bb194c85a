// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package confine

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/process"
)

//go:embed node.sh
var nodeScript string

// Paths inside the namespaces of a node, which are the same for every cluster.
const (
	StateDir    = "/run/cluster" // the cluster's directory
	ProgramsDir = "/run/bin"
)

// Node is the namespaces and the control group of one cluster.
type Node struct {
	state  string
	join   string
	holder process.Record
}

// holderName is the component name of the process that keeps the namespaces open.
const holderName = "node"

// recordFile returns the path of the record of a component's process.
func recordFile(state, component string) string {
	return filepath.Join(state, "processes", component+".json")
}

// LogFile returns the path of the output of a component.
func LogFile(state, component string) string { return filepath.Join(state, "logs", component+".log") }

// Record returns the recorded process of a component of the cluster in the directory state, or the zero Record.
func Record(state, component string) process.Record {
	return process.Load(recordFile(state, component))
}

// Open returns the node of the cluster in the directory state. ok is false if the node does not run.
func Open(state string, group Cgroup) (node *Node, ok bool) {
	holder := Record(state, holderName)
	if !holder.Alive() {
		return nil, false
	}
	join, err := group.Create() // the group exists
	if err != nil {
		return nil, false
	}
	return &Node{state: state, join: join, holder: holder}, true
}

// New creates the namespaces of a cluster and mounts the directory programs at ProgramsDir.
func New(ctx context.Context, state, programs string, group Cgroup) (*Node, error) {
	join, err := group.Create()
	if err != nil {
		return nil, err
	}
	node := &Node{state: state, join: join}
	cmd := exec.Command("/bin/sh", "-c", `echo $$ >"$0" && exec unshare --mount --net -- /bin/sh -c "$@"`,
		join, nodeScript, "node.sh", state, programs)
	if node.holder, err = node.launch(cmd, holderName); err != nil {
		return nil, err
	}
	ready := filepath.Join(state, "node-ready")
	for {
		if _, err := os.Stat(ready); err == nil {
			return node, nil
		}
		if !node.holder.Alive() {
			return nil, fmt.Errorf("the node's namespaces could not be set up; see %s", LogFile(state, holderName))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// PID returns a process in the node's namespaces.
func (n *Node) PID() int { return n.holder.PID }

// Start runs a component in the node, detached from this command, and records its process. args begins with the path of
// the program.
func (n *Node) Start(component string, args []string) error {
	cmd := exec.Command("/bin/sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, n.join}, n.nsenterArgs(args)...)...)
	_, err := n.launch(cmd, component)
	return err
}

// Run runs a program in the node with the standard input, waits until it ends, and returns its output.
func (n *Node) Run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	nsenterArgs := n.nsenterArgs(args)
	cmd := exec.CommandContext(ctx, nsenterArgs[0], nsenterArgs[1:]...)
	cmd.Env, cmd.Stdin = environment(), stdin
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", args[0], err, out)
	}
	return string(out), nil
}

func (n *Node) nsenterArgs(args []string) []string {
	return append([]string{"nsenter", "--target", strconv.Itoa(n.holder.PID), "--mount", "--net", "--"}, args...)
}

// launch starts a command in a new session and records its process. The PID stays the same through every exec.
func (n *Node) launch(cmd *exec.Cmd, component string) (process.Record, error) {
	path := LogFile(n.state, component)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return process.Record{}, err
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return process.Record{}, err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = log, log, environment(), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := closeInheritedOnExec(); err != nil {
		return process.Record{}, err
	}
	if err := cmd.Start(); err != nil {
		return process.Record{}, fmt.Errorf("start %s: %w", component, err)
	}
	go func() { _ = cmd.Wait() }() // reap the process if it ends before this command
	record, err := process.Of(cmd.Process.Pid)
	if err != nil {
		return record, fmt.Errorf("%s ended at once; see %s: %w", component, path, err)
	}
	return record, record.Save(recordFile(n.state, component))
}

// environment returns the same environment for every component, so that the caller's proxies or kubeconfig have no
// effect.
func environment() []string {
	return []string{
		"PATH=" + ProgramsDir + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
	}
}
