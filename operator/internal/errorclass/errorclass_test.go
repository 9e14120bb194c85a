// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package errorclass

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

type classed Class

func (c classed) Error() string { return fmt.Sprint(Class(c)) }
func (c classed) Class() Class  { return Class(c) }

func TestResult(t *testing.T) {
	const soon, deadline = waits.Conflict, time.Hour
	pods := corev1.Resource("pods")
	terminating := apierrors.NewForbidden(pods, "x", errors.New("the namespace is going"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "x", nil)
	ill, quota := apierrors.NewInternalError(errors.New("ill")),
		apierrors.NewForbidden(pods, "x", errors.New("exceeded quota"))
	tests := map[string]struct {
		errs    []error
		want    time.Duration
		wantErr bool
	}{
		"nothing went wrong: the deadline": {errs: []error{nil, nil}, want: deadline},
		"a mistake waits for its change":   {errs: []error{classed(Refused)}, want: deadline},
		"what is in the way is looked at now and then": {errs: []error{fmt.Errorf("x: %w", classed(Blocked))},
			want: waits.Blocked},
		"who was outrun goes on soon": {errs: []error{classed(Contended)}, want: soon},
		"a conflict is no error": {errs: []error{fmt.Errorf("x: %w", ErrChangedMeanwhile)},
			want: soon},
		"a name that is taken is a conflict": {errs: []error{apierrors.NewAlreadyExists(pods, "x")},
			want: soon},
		"the soonest counts": {errs: []error{classed(Blocked), ErrChangedMeanwhile,
			invalid}, want: soon},
		"what the server refuses is tried again: policies move": {errs: []error{invalid}, want: waits.Rejected},
		"a namespace that is going needs nothing":               {errs: []error{terminating}, want: deadline},
		"a full quota backs off, and no time stands beside it":  {errs: []error{quota}, wantErr: true},
		"anything else backs off":                               {errs: []error{ill, ErrChangedMeanwhile}, wantErr: true},
		"what is joined is taken apart: no error hides another": {
			errs: []error{errors.Join(classed(Refused), ill)}, wantErr: true,
		},
	}
	for name, tt := range tests {
		got, err := Result(deadline, tt.errs...)
		if got.RequeueAfter != tt.want || (err != nil) != tt.wantErr {
			t.Errorf("%s: %v, %v", name, got.RequeueAfter, err)
		}
	}
}

func TestAStatusThatIsRefusedIsLogged(t *testing.T) {
	refused := apierrors.NewInvalid(schema.GroupKind{Kind: "SandboxClaim"}, "x", nil)
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"nothing": {nil, false},
		"somebody is faster": {fmt.Errorf("patch status: %w", apierrors.NewConflict(corev1.Resource("pods"), "x", nil)),
			false},
		"a policy": {fmt.Errorf("patch status: %w", refused), true},
	} {
		var said strings.Builder
		logger := funcr.New(func(_, line string) { said.WriteString(line) }, funcr.Options{})
		got := LogInvalidStatus(log.IntoContext(t.Context(), logger), test.err)
		if !errors.Is(got, test.err) || strings.Contains(said.String(), "cannot be written") != test.want {
			t.Errorf("%s: %v, logged %q", name, got, &said)
		}
	}
}
