// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func request(err error) error {
	return fmt.Errorf("read Sandbox dev: %w", &url.Error{Op: "Get", URL: "https://10.0.0.1:6443/apis", Err: err})
}

func TestErrors(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	group := schema.GroupResource{Group: apis.GroupAgents, Resource: apis.ResourceSandboxes}
	tests := map[string]struct {
		err  error
		want []string // parts of the one message
	}{
		"no cluster names the address": {
			err: request(refused), want: []string{"cannot reach the API server at 10.0.0.1:6443", "refused", "context"},
		},
		"no configuration says how to give one": {
			err: genericclioptions.ErrEmptyConfig, want: []string{"no cluster is configured", "KUBECONFIG"},
		},
		"an expired certificate of the server": {
			err:  request(x509.CertificateInvalidError{Reason: x509.Expired, Detail: "since May"}),
			want: []string{"not valid now", "since May"},
		},
		"an unknown authority": {
			err: request(x509.UnknownAuthorityError{}), want: []string{"authority that the kubeconfig does not know"},
		},
		"credentials that are not accepted": {
			err: apierrors.NewUnauthorized("no"), want: []string{"does not accept your credentials"},
		},
		"no permission names verb and resource": {
			err:  fakecluster.Forbidden("create", apis.ResourceSandboxes, apis.GroupAgents),
			want: []string{"may not create sandboxes." + apis.GroupAgents, `namespace "ns"`, `the verb "create"`},
		},
		"a name that exists": {
			err: apierrors.NewAlreadyExists(group, "dev"), want: []string{`"dev" already exists`, "choose another name"},
		},
		"no CRDs says to install": {
			err:  resolve.ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents),
			want: []string{"not installed", "try: kubectl sandbox install"},
		},
		"a timeout says where to look": {
			err:  &await.TimeoutError{Name: "dev", Goal: await.Ready, Obstacle: "no node takes it"},
			want: []string{"no node takes it", "try: kubectl sandbox status dev -n team"},
		},
		"a connection that breaks": {
			err:  request(&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}),
			want: []string{"cannot reach the API server at 10.0.0.1:6443", "reset"},
		},
		"a dial without a request": {
			err: fmt.Errorf("exec: %w", refused), want: []string{"cannot reach the API server", "refused"},
		},
		"an answer that does not come": {
			err: request(context.DeadlineExceeded), want: []string{"cannot reach the API server at 10.0.0.1:6443", "deadline"},
		},
		"an answer that is cut off": {
			err: request(io.ErrUnexpectedEOF), want: []string{"cannot reach the API server", "EOF"},
		},
		"an interrupt is one word":          {err: fmt.Errorf("x: %w", context.Canceled), want: []string{"interrupted"}},
		"any other error speaks for itself": {err: errors.New("plain"), want: []string{"plain"}},
	}
	f := &fake.Factory{In: "team", InGiven: true}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := printing.ErrorMessages(tt.err, f)
			if len(got) != 1 {
				t.Fatalf("got %d messages: %q", len(got), got)
			}
			for _, part := range tt.want {
				if !strings.Contains(got[0], part) {
					t.Errorf("%q lacks %q", got[0], part)
				}
			}
		})
	}
}

// TestWhatFailsOnThisMachineIsNotBlamedOnTheCluster covers the places in which errors of the system occur. Their
// numbers implement net.Error, as broken connections do.
func TestWhatFailsOnThisMachineIsNotBlamedOnTheCluster(t *testing.T) {
	file := &fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}
	tests := map[string]error{
		"a file that is missing":     fmt.Errorf("copy: %w", file),
		"a disk that is full":        &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC},
		"a link that cannot be made": &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV},
		"a port that is taken": &net.OpError{
			Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EADDRINUSE),
		},
		"a call of the system":                        os.NewSyscallError("setsockopt", syscall.EPERM),
		"a bare error number":                         syscall.EACCES,
		"a file that gives the credentials":           request(fmt.Errorf("getting credentials: %w", file)),
		"a program that gives them, and is not there": request(&exec.Error{Name: "login", Err: exec.ErrNotFound}),
		"a deadline of our own":                       fmt.Errorf("wait: %w", context.DeadlineExceeded),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			got := printing.ErrorMessages(err, &fake.Factory{})
			if len(got) != 1 || got[0] != err.Error() {
				t.Errorf("got %q, want %q", got, err)
			}
		})
	}
}

func TestJoinedErrorsAreToldOneByOneAndARemoteCodeNotAtAll(t *testing.T) {
	both := errors.Join(errors.New("a"), cli.RemoteExitError(3), errors.New("b"))
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"joined": {both, []string{"a", "b"}},
		"with a context": {
			fmt.Errorf("copy dev:/big to .: %w", both), []string{"copy dev:/big to .: a", "copy dev:/big to .: b"},
		},
		"in one another": {errors.Join(fmt.Errorf("x: %w", both), errors.New("c")), []string{"x: a", "x: b", "c"}},
		"two in one sentence": {
			fmt.Errorf("%w; after that: %w", errors.New("a"), errors.New("b")), []string{"a; after that: b"},
		},
		"a remote code alone": {errors.Join(cli.RemoteExitError(3)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := printing.ErrorMessages(tt.err, &fake.Factory{}); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
