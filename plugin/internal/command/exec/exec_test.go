// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package exec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	kubefake "k8s.io/client-go/kubernetes/fake"
	utilexec "k8s.io/utils/exec"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	sandboxfake "github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/shell"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// cluster returns a cluster with a running sandbox "dev" and a suspended sandbox "off".
func cluster(t *testing.T, run func(context.Context, streamfake.Process) error) (*fake.Factory, *streamfake.Server) {
	t.Helper()
	server := streamfake.New()
	t.Cleanup(server.Close)
	server.Exec = run
	dev := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dev", UID: "1"}}
	off := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "off", UID: "2"}}
	off.Spec.Replicas = new(int32(0))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default",
			Name:      "dev",
			Labels:    map[string]string{apis.LabelSandboxNameHash: naming.Hash("dev")},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(dev, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
			},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}, {Name: "side"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	sandboxes := sandboxfake.NewSimpleClientset()
	// objects passed to NewSimpleClientset would be stored under the plural "sandboxs"
	for _, sandbox := range []*agentsv1beta1.Sandbox{dev, off} {
		if _, err := sandboxes.AgentsV1beta1().Sandboxes("default").Create(
			t.Context(), sandbox, metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	return &fake.Factory{
		Config: server.Config(), SandboxesClient: sandboxes, KubernetesClient: kubefake.NewClientset(pod),
	}, server
}

type newCommand func(factory.Factory, genericiooptions.IOStreams) *cobra.Command

// call runs a command line and returns its output and error.
func call(
	t *testing.T, f factory.Factory, command newCommand, in string, args ...string,
) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := command(f, genericiooptions.IOStreams{In: strings.NewReader(in), Out: &stdout, ErrOut: &stderr})
	cmd.SetArgs(args)
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func ended(code int) error {
	return utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", code), Code: code}
}

func TestExec(t *testing.T) {
	echo := func(_ context.Context, p streamfake.Process) error {
		in, err := io.ReadAll(p.Stdin)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "%s: %s < %s", p.Container, strings.Join(p.Command, " "), in)
		return err
	}
	tests := map[string]struct {
		run  func(context.Context, streamfake.Process) error
		args []string
		out  string
		code int
		said string // in the error
	}{
		"arguments and input arrive": {
			run: echo, args: []string{"dev", "--", "ls", "-l"}, out: "main: ls -l < input",
		},
		"-c selects another container": {
			run: echo, args: []string{"dev", "-c", "side", "--", "ls"}, out: "side: ls < input",
		},
		"the exit code is passed on without a message": {
			run: func(context.Context, streamfake.Process) error { return ended(42) }, args: []string{"dev", "--", "x"},
			code: 42,
		},
		"a missing program is a clear error": {
			run: streamfake.Local(t.TempDir()), args: []string{"dev", "--", "nope"}, code: cli.ExitNotFound,
			said: `container main of dev: the command could not be started: exec: "nope"`,
		},
		"a program that cannot be run is another error": {
			run: func(context.Context, streamfake.Process) error {
				return errors.New(`OCI runtime exec failed: exec failed: unable to start container process: ` +
					`exec: "/etc/passwd": permission denied: unknown`)
			},
			args: []string{"dev", "--", "/etc/passwd"}, code: cli.ExitCannotRun, said: "permission denied",
		},
		"the error for a missing container lists the containers": {
			run: echo, args: []string{"dev", "-c", "nope", "--", "x"}, code: cli.ExitFailed, said: "it has: main, side",
		},
		"a suspended sandbox is an error": {
			run: echo, args: []string{"off", "--", "x"}, code: cli.ExitFailed, said: "suspended",
		},
		"an unknown sandbox is an error": {
			run: echo, args: []string{"nope", "--", "x"}, code: cli.ExitFailed, said: `"nope"`,
		},
		"a missing command is a usage error": {
			run: echo, args: []string{"dev"}, code: cli.ExitUsage, said: "COMMAND is missing",
		},
		"the error for missing dashes shows the correct command": {
			run: echo, args: []string{"dev", "sh", "it's"}, code: cli.ExitUsage, said: `did you mean: exec dev -- sh 'it'\''s'`,
		},
		"the error for a name after the dashes shows the correct command": {
			run: echo, args: []string{"--", "dev", "ls"}, code: cli.ExitUsage, said: "did you mean: exec dev -- ls",
		},
		"an invalid name is a usage error": {
			run: echo, args: []string{"a/b/c", "--", "x"}, code: cli.ExitUsage, said: "is not a name",
		},
		"-t without a terminal runs the command without one": {
			run: echo, args: []string{"dev", "-it", "--", "ls"}, out: "main: ls < input",
		},
		"-i=false passes no input": {
			run: echo, args: []string{"dev", "-i=false", "--", "ls"}, out: "main: ls < ",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, _ := cluster(t, test.run)
			out, _, err := call(t, f, exec.NewCommand, "input", test.args...)
			if out != test.out || cli.ExitCode(err) != test.code {
				t.Errorf("got %q, code %d (%v)", out, cli.ExitCode(err), err)
			}
			if test.code != 0 && (err == nil || !strings.Contains(err.Error(), test.said)) {
				t.Errorf("error: %v, want %q in it", err, test.said)
			}
		})
	}
}

func TestLostConnectionIs255(t *testing.T) {
	var server *streamfake.Server
	var f *fake.Factory
	f, server = cluster(t, func(ctx context.Context, _ streamfake.Process) error {
		server.Cut()
		<-ctx.Done()
		return nil
	})
	_, _, err := call(t, f, exec.NewCommand, "", "dev", "--", "sleep", "100")
	if cli.ExitCode(err) != cli.ExitConnectionLost || !strings.Contains(err.Error(), "connection was lost") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("got code %d, %v", cli.ExitCode(err), err)
	}
}

func TestShell(t *testing.T) {
	tests := map[string]struct {
		programs []string
		out      string
		said     string
	}{
		"bash is preferred":        {programs: []string{"bash", "sh"}, out: "bash\n"},
		"sh is used without bash":  {programs: []string{"sh"}, out: "sh\n"},
		"neither is a clear error": {said: "neither bash nor sh"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			local := streamfake.Local(t.TempDir(), test.programs...)
			f, _ := cluster(t, local)
			out, _, err := call(t, f, shell.NewCommand, "echo $0\n", "dev")
			if out != test.out {
				t.Errorf("got %q (%v)", out, err)
			}
			if test.said != "" && (err == nil || !strings.Contains(err.Error(), test.said)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestHelpNeedsNoCluster(t *testing.T) {
	for _, command := range []newCommand{exec.NewCommand, shell.NewCommand} {
		if _, _, err := call(t, &fake.Factory{}, command, "", "--help"); err != nil {
			t.Error(err)
		}
	}
}
