// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/pool"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var (
	sandboxResource = agentsv1beta1.SchemeGroupVersion.WithResource(apis.ResourceSandboxes)
	poolResource    = extensionsv1beta1.SchemeGroupVersion.WithResource(apis.ResourceWarmPools)
)

func poolOfOne() *extensionsv1beta1.SandboxWarmPool {
	return builders.Pool("warm", "python", builders.WithUID("p"), builders.WithReplicas(1))
}

// memberWith returns the only member of the pool "warm".
func memberWith(image string) *agentsv1beta1.Sandbox {
	return builders.Sandbox("warm-aaaaa", builders.OwnedBy(poolOfOne()), ready, builders.WithImage(image),
		builders.WithLabel(apis.LabelSandboxTemplateRefHash, naming.Hash("python")))
}

// follow runs `pool rollout status warm` in a cluster, while a clock of its own runs fast. change is called before each
// read of the pool, with the number of the read; the first is that of the selection.
func follow(t *testing.T, cluster *fakecluster.Cluster, flags string, change func(read int) error) (
	stdout, stderr string, err error,
) {
	t.Helper()
	clock := clocktesting.NewFakeClock(now)
	read := 0
	cluster.Sandboxes.PrependReactor("get", apis.ResourceWarmPools,
		func(clienttesting.Action) (bool, runtime.Object, error) {
			read++
			if change == nil {
				return false, nil, nil
			}
			err := change(read)
			return err != nil, nil, err
		})
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		_ = wait.PollUntilContextCancel(ctx, time.Millisecond, true, func(context.Context) (bool, error) {
			clock.Step(time.Second)
			return false, nil
		})
	}()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := pool.NewCommand(&fake.Factory{
		Time: clock, SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}, streams)
	// A day of that clock, which is more than a slow machine needs; flags may give less.
	cmd.SetArgs(append([]string{"rollout", "status", "warm", "--timeout", "24h"}, strings.Fields(flags)...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(ctx)
	cancel()
	<-ran
	return out.String(), errOut.String(), err
}

func TestARolloutIsFollowed(t *testing.T) {
	type world = *fakecluster.Cluster
	cluster := func(image string) world {
		return fakecluster.New(poolOfOne(), builders.Template("python", builders.WithImage("new")), memberWith(image),
			builders.Operator(1))
	}
	atThirdRead := func(change func(world) error) func(world) func(int) error {
		return func(w world) func(int) error {
			return func(read int) error {
				if read != 3 {
					return nil
				}
				return change(w)
			}
		}
	}
	tests := map[string]struct {
		cluster world
		flags   string
		change  func(world) func(int) error
		out     string
		said    string // on stderr or in the error
		code    int
	}{
		"what is done is done at once": {cluster: cluster("new"), out: "pool/warm rolled out\n"},
		"and -q prints the name":       {cluster: cluster("new"), flags: "-q", out: "pool/warm\n"},
		"it is waited for, and its progress is told": {
			cluster: cluster("old"), out: "pool/warm rolled out\n",
			change: atThirdRead(func(w world) error {
				return w.Sandboxes.Tracker().Update(sandboxResource, memberWith("new"), builders.Namespace)
			}),
			said: "Waiting for pool warm: 0 of 1 sandboxes are ready and of the newest version of template python; " +
				"1 older ones stay until claims take them (update strategy OnReplenish)\n",
		},
		"one look is enough for --timeout 0": {
			cluster: cluster("old"), flags: "--timeout 0", code: cli.ExitTimeout, said: "pool warm is not rolled out: 0 of 1",
		},
		"the time may run out": {
			cluster: cluster("old"), flags: "--timeout 5s", code: cli.ExitTimeout,
			said: "timed out after 5s waiting for pool warm: 0 of 1",
		},
		"without its template it does not come": {
			cluster: fakecluster.New(poolOfOne(), memberWith("old")), code: cli.ExitFailed,
			said: "pool warm does not roll out: template python does not exist",
		},
		"a pool that is deleted is an error": {
			cluster: cluster("old"), code: cli.ExitFailed, said: `no pool is called "warm"`,
			change: atThirdRead(func(w world) error {
				return w.Sandboxes.Tracker().Delete(poolResource, builders.Namespace, "warm")
			}),
		},
		"another pool of that name is not waited for": {
			cluster: cluster("old"), code: cli.ExitFailed, said: "another one has its name",
			change: atThirdRead(func(w world) error {
				other := builders.Pool("warm", "python", builders.WithUID("q"))
				return w.Sandboxes.Tracker().Update(poolResource, other, builders.Namespace)
			}),
		},
		"an API server that is away for a moment is waited for": {
			cluster: cluster("old"), out: "pool/warm rolled out\n", said: "the API server does not answer, trying again",
			change: func(w world) func(int) error {
				return func(read int) error {
					switch read {
					case 3:
						return apierrors.NewServiceUnavailable("not now")
					case 4:
						return w.Sandboxes.Tracker().Update(sandboxResource, memberWith("new"), builders.Namespace)
					}
					return nil
				}
			},
		},
		"what may not be read is an error at once": {
			cluster: cluster("old").Refuse("list", apis.ResourceSandboxes, errors.New("disk full")), code: cli.ExitFailed,
			said: "list the Sandboxes of pool warm",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var change func(int) error
			if tt.change != nil {
				change = tt.change(tt.cluster)
			}
			out, errOut, err := follow(t, tt.cluster, tt.flags, change)
			if out != tt.out || cli.ExitCode(err) != tt.code || !strings.Contains(errOut+fmt.Sprint(err), tt.said) {
				t.Errorf("code %d (%v), stdout %q, stderr %q", cli.ExitCode(err), err, out, errOut)
			}
		})
	}
}

func TestARolloutOfNothingIsAnError(t *testing.T) {
	_, _, err := run(t, fakecluster.New(objects()...), "rollout status -l team=nobody")
	if err == nil || !strings.Contains(err.Error(), "no pools are selected in namespace default") {
		t.Errorf("got %v", err)
	}
}
