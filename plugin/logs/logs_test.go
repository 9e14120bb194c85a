// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
)

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		options Options
		valid   bool
	}{
		"a name is enough":                       {Options{Name: "dev", Tail: all}, true},
		"no lines at all may be asked for":       {Options{Name: "dev", Tail: 0}, true},
		"a number of lines is not negative":      {Options{Name: "dev", Tail: -2}, false},
		"a time that has passed is not negative": {Options{Name: "dev", Tail: all, Since: -time.Second}, false},
		"what has ended cannot be followed":      {Options{Name: "dev", Tail: all, Follow: true, Previous: true}, false},
		"a name must be one":                     {Options{Name: "a/b/c", Tail: all}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := test.options.Validate(); (err == nil) != test.valid || (err != nil && exit.Code(err) != exit.WrongUsage) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	tests := map[string]struct {
		options Options
		want    corev1.PodLogOptions
	}{
		"by default everything is asked for":      {Options{Tail: all}, corev1.PodLogOptions{Container: "main"}},
		"no lines is not the same as all":         {Options{Tail: 0}, corev1.PodLogOptions{Container: "main", TailLines: new(int64(0))}},
		"parts of a second are rounded up":        {Options{Tail: all, Since: 1500 * time.Millisecond}, corev1.PodLogOptions{Container: "main", SinceSeconds: new(int64(2))}},
		"the flags are passed on":                 {Options{Tail: all, Follow: true, Timestamps: true}, corev1.PodLogOptions{Container: "main", Follow: true, Timestamps: true}},
		"the container before is asked for by it": {Options{Tail: all, Previous: true}, corev1.PodLogOptions{Container: "main", Previous: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, test.options.request("main")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
