// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// program is the command with which the examples run the plugin.
const program = "kubectl sandbox"

// excludedCommands are commands whose examples would change the cluster for all tests, or need a terminal. Other tests
// run them.
var excludedCommands = []string{"install", "upgrade", "uninstall", "doctor", "ui", "completion install"}

// endlessExamples matches examples that run until they are interrupted.
var endlessExamples = regexp.MustCompile(`port-forward|attach|logs .*-f| -w\b| --watch`)

// failingExamples matches examples that may fail here: no container has crashed, the image has no make, the cluster
// may be too small, and the machine has no other editor.
var failingExamples = regexp.MustCompile(`--previous|make test|--replicas 50|KUBE_EDITOR=`)

// helpExamples returns the example command lines in the help of all commands, by command.
func helpExamples() map[string][]string {
	all := map[string][]string{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), program+" ")
		for line := range strings.SplitSeq(strings.ReplaceAll(c.Example, "\\\n", " "), "\n") {
			if line = strings.TrimSpace(line); strings.Contains(line, program+" ") && !strings.HasPrefix(line, "#") &&
				!strings.HasPrefix(line, "ssh") {
				all[path] = append(all[path], line)
			}
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(plugin.NewCommand(program, clock.RealClock{}, genericiooptions.NewTestIOStreamsDiscard()))
	return all
}

// workspace is a home directory in which the examples run.
type workspace struct {
	*harness.T

	dir        string
	yaml       string
	environ    []string
	foreignDev bool // an example has created a dev that is not the fixture's
}

func newWorkspace(h *harness.T) *workspace {
	h.Helper()
	d := &workspace{
		T: h, dir: h.TempDir(),
		yaml: strings.NewReplacer(
			"IMAGE", harness.ImagePython, "HASH", naming.Hash("old"), "NAMESPACE", h.Namespace,
		).Replace(fixture),
	}
	write := func(name, text string) {
		path := filepath.Join(d.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			h.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"main.py": "print(42)\n", "script.py": "print(42)\n", "project/a/b": "b\n", "notes.txt": "one\ntwo\n",
		"setup.sh": "echo done\n", "tests.txt": "/dev/null\n", ".vscode/x": "",
		"template.yaml": templateFile("hardened"), "python.yaml": templateFile("python"), "node.yaml": templateFile("node"),
		".ssh/config": "", ".local/bin/x": "", ".local/share/bash-completion/completions/x": "",
	} {
		write(name, text)
	}
	config, err := os.ReadFile(harness.RequireEnv("KUBECONFIG"))
	if err != nil {
		h.Fatal(err)
	}
	write("kubeconfig", string(config))
	d.environ = append(os.Environ(), "HOME="+d.dir, "KUBECONFIG="+filepath.Join(d.dir, "kubeconfig"), "BROWSER=true",
		"KUBE_EDITOR=true")
	if code, out := d.run("kubectl config set-context --current --namespace="+h.Namespace, false); code != 0 {
		h.Fatal(out)
	}
	return d
}

// templateFile returns a file with a template of that name.
func templateFile(name string) string {
	return "apiVersion: extensions.agents.x-k8s.io/v1beta1\nkind: SandboxTemplate\nmetadata: {name: " + name +
		"}\nspec: {podTemplate: {spec: {containers: [{name: main, image: " + harness.ImagePython + "}]}}}\n"
}

// run runs a command line in a shell. With interrupt it sends SIGINT after two seconds.
func (d *workspace) run(line string, interrupt bool) (code int, output string) {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), harness.DefaultTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-c", line)
	command.Dir, command.Env, command.SysProcAttr = d.dir, d.environ, &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	command.WaitDelay = 5 * time.Second
	if err := command.Start(); err != nil {
		d.Fatal(err)
	}
	if interrupt {
		timer := time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGINT) })
		defer timer.Stop()
	}
	err := command.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		out.WriteString(err.Error())
	}
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() &&
		status.Signal() == syscall.SIGINT {
		return 130, out.String() // the exit code in a shell for a program that SIGINT ends before it handles signals
	}
	return command.ProcessState.ExitCode(), out.String()
}

// createdNames matches the object that an example creates, which must not exist before.
var createdNames = regexp.MustCompile(`sandbox (pool |template |)create ([a-z][a-z-]*)`)

// prepare restores the fixture and deletes the object that the line creates.
func (d *workspace) prepare(line string) {
	d.Helper()
	if d.foreignDev { // applying the fixture would not change its Pod
		d.MustKubectl("delete", "sandboxclaim,sandbox", "dev", "--ignore-not-found", "--wait")
		d.foreignDev = false
	}
	if strings.Contains(line, "wait job") { // examples of create and run may have left a claim of that name
		d.MustKubectl("delete", "sandboxclaim,sandbox", "job", "--ignore-not-found", "--wait")
	}
	d.Apply(d.yaml)
	if creates := createdNames.FindStringSubmatch(line); creates != nil {
		kinds := map[string]string{
			"": "sandboxclaim,sandbox", "pool ": "sandboxwarmpool", "template ": "sandboxtemplate",
		}[creates[1]]
		d.MustKubectl("delete", kinds, creates[2], "--ignore-not-found", "--wait")
		if d.foreignDev = creates[1] == "" && creates[2] == "dev"; d.foreignDev {
			return
		}
	}
	d.Must("wait", "dev", "--for", "ready")
	if strings.Contains(line, "pool plan") {
		d.FullPool("python-warm") // the command measures how long members took to start
	}
}

var (
	imageFlag = regexp.MustCompile(`--image [^ ]+`)
	// farRouter is a router outside of the cluster. The installed one takes its place.
	farRouter = regexp.MustCompile(`--router https://[^ ]+`)
)

// example runs one line, which must succeed.
func (d *workspace) example(line string) {
	d.Helper()
	d.prepare(line)
	if strings.Contains(line, " delete ") && !strings.Contains(line, "--yes") {
		line += " --yes" // there is no terminal to ask on
	}
	if strings.Contains(line, " token ") && !strings.Contains(line, "--as-service-account") {
		// The kubeconfig of the cluster has a client certificate.
		line = farRouter.ReplaceAllString(line, "") + ` --token "$(kubectl create token my-agent)"`
	}
	if strings.Contains(line, " --for deleted") {
		d.MustKubectl("delete", "sandbox", "-l", "team=research", "--wait=false")
	}
	line = strings.NewReplacer(
		"team/dev:", d.Namespace+"/dev:",
		` --exec "$id"`, ` --exec "$(kubectl sandbox exec dev --detach -- sleep 1)"`,
	).Replace(line)
	line = imageFlag.ReplaceAllString(line, "--image "+harness.ImagePython)
	follows := endlessExamples.MatchString(line)
	code, out := d.run(line, follows)
	switch {
	case code == 0, follows && code == 130, failingExamples.MatchString(line) && code != 2:
	default:
		d.Errorf("%s: code %d\n%s", line, code, out)
	}
}

func TestTheExamplesOfTheHelpRun(t *testing.T) {
	const workspaces = 4 // that run in parallel
	shares := make([][]string, workspaces)
	ran := 0
	examples := helpExamples()
	for _, path := range slices.Sorted(maps.Keys(examples)) {
		if slices.ContainsFunc(excludedCommands, func(command string) bool {
			return path == command || strings.HasPrefix(path, command+" ")
		}) {
			continue
		}
		// The examples of one command run in order in one workspace: later ones may need what earlier ones created.
		share := &shares[ran%workspaces]
		for _, line := range examples[path] {
			if !strings.Contains(line, "completion install") {
				*share = append(*share, line)
				ran++
			}
		}
	}
	if ran < 50 {
		t.Errorf("only %d examples were run", ran)
	}
	for i, lines := range shares {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			d := newWorkspace(h)
			d.Apply(d.yaml)
			d.Must("wait", "other", "--for", "ready")
			d.FullPool("python-warm")
			for _, line := range lines {
				d.example(line)
			}
		})
	}
}
