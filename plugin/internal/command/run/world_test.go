// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"
	utilexec "k8s.io/utils/exec"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/run"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// world is a cluster whose operator serves every claim with the warm Sandbox "warm-1" and makes every Sandbox ready at
// once. Its containers run the given function.
type world struct {
	cluster *fakecluster.Cluster
	server  *streamfake.Server
	factory *fake.Factory
}

func ready() []metav1.Condition {
	return []metav1.Condition{
		apis.NewCondition(nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 0, metav1.NewTime(time.Now())),
	}
}

// running returns a running Pod of the Sandbox.
func running(sandbox *agentsv1beta1.Sandbox) *corev1.Pod {
	return builders.Pod(
		sandbox.Name, builders.OwnedBy(sandbox), builders.Ready(),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash(sandbox.Name)),
	)
}

func newWorld(t *testing.T, do func(context.Context, streamfake.Process) error) *world {
	t.Helper()
	warm := builders.Sandbox("warm-1", builders.WithUID("w"))
	warm.Status.Conditions = ready()
	warm.OwnerReferences = []metav1.OwnerReference{
		{Kind: apis.KindSandboxClaim, Name: "dev", UID: "c", Controller: new(true)},
	}
	w := &world{cluster: fakecluster.New(warm, running(warm)), server: streamfake.New()}
	t.Cleanup(w.server.Close)
	w.server.Exec = do
	w.cluster.Sandboxes.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch o := action.(clienttesting.CreateAction).GetObject().(type) {
		case *extensionsv1beta1.SandboxClaim:
			o.UID, o.Status.Conditions, o.Status.SandboxStatus.Name = "c", ready(), "warm-1"
		case *agentsv1beta1.Sandbox:
			o.UID, o.Status.Conditions = "s", ready()
			if err := w.cluster.Kubernetes.Tracker().Add(running(o)); err != nil {
				return true, nil, err
			}
		}
		return false, nil, nil
	})
	w.factory = &fake.Factory{
		Config:           w.server.Config(),
		SandboxesClient:  w.cluster.Sandboxes,
		KubernetesClient: w.cluster.Kubernetes,
	}
	return w
}

// run runs a command line with the given standard input.
func (w *world) run(ctx context.Context, in string, args ...string) (out, errOut string, err error) {
	var stdout, stderr bytes.Buffer
	cmd := run.NewCommand(w.factory, genericiooptions.IOStreams{In: strings.NewReader(in), Out: &stdout, ErrOut: &stderr})
	cmd.SetArgs(args)
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(ctx)
	return stdout.String(), stderr.String(), err
}

// left returns the names of the claims, and of the Sandboxes that no claim owns.
func (w *world) left(t *testing.T) []string {
	t.Helper()
	var names []string
	extensions := w.cluster.Sandboxes.ExtensionsV1beta1()
	claims, err := extensions.SandboxClaims("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range claims.Items {
		names = append(names, "claim/"+claims.Items[i].Name)
	}
	sandboxes, err := w.cluster.Sandboxes.AgentsV1beta1().Sandboxes("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range sandboxes.Items {
		if metav1.GetControllerOf(&sandboxes.Items[i]) == nil {
			names = append(names, "sandbox/"+sandboxes.Items[i].Name)
		}
	}
	return names
}

func echo(_ context.Context, p streamfake.Process) error {
	in, err := io.ReadAll(p.Stdin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s < %s", strings.Join(p.Command, " "), in)
	return err
}

func fails(context.Context, streamfake.Process) error {
	return utilexec.CodeExitError{Err: errors.New("exit status 42"), Code: 42}
}
