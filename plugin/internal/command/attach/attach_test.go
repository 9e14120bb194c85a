// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package attach_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	kubefake "k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	sandboxfake "github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/attach"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// cluster returns a cluster with a sandbox "dev", which has one container with standard input and one without.
func cluster(t *testing.T, run func(context.Context, streamfake.Process) error) *fake.Factory {
	t.Helper()
	server := streamfake.New()
	t.Cleanup(server.Close)
	server.Exec = run
	dev := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dev", UID: "1"}}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "dev", Labels: map[string]string{apis.LabelSandboxNameHash: naming.Hash("dev")},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(dev, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
			},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Stdin: true}, {Name: "no-stdin"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	sandboxes := sandboxfake.NewSimpleClientset()
	_, err := sandboxes.AgentsV1beta1().Sandboxes("default").Create(t.Context(), dev, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &fake.Factory{Config: server.Config(), SandboxesClient: sandboxes, KubernetesClient: kubefake.NewClientset(pod)}
}

func TestAttach(t *testing.T) {
	echo := func(_ context.Context, p streamfake.Process) error {
		in, err := io.ReadAll(p.Stdin)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "%s %d < %s", p.Container, len(p.Command), in)
		return err
	}
	tests := map[string]struct {
		args []string
		out  string
		code int
		says string // in the error
	}{
		"input reaches a container that has standard input": {args: []string{"dev"}, out: "main 0 < input"},
		"no input reaches a container without standard input": {
			args: []string{"dev", "-c", "no-stdin"}, out: "no-stdin 0 < ",
		},
		"-i for a container without standard input is an error": {
			args: []string{"dev", "-c", "no-stdin", "-i"}, code: 1, says: "without standard input",
		},
		"-i=false passes no input":         {args: []string{"dev", "-i=false"}, out: "main 0 < "},
		"an invalid name is a usage error": {args: []string{"a/b/c"}, code: 2, says: "is not a name"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			streams := genericiooptions.IOStreams{In: strings.NewReader("input"), Out: &out, ErrOut: io.Discard}
			cmd := attach.NewCommand(cluster(t, echo), streams)
			cmd.SetArgs(tt.args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			if out.String() != tt.out || cli.ExitCode(err) != tt.code ||
				tt.says != "" && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %q, code %d, %v", out.String(), cli.ExitCode(err), err)
			}
		})
	}
}
