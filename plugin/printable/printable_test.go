// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printable_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/printable"
)

func TestText(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"what is plain stays":                     {text: "größe 日本 → 😀", want: "größe 日本 → 😀"},
		"line ends and tabs stay":                 {text: "a\tb\nc", want: "a\tb\nc"},
		"an escape sequence is spelled out":       {text: "\x1b[2J\x1b]0;x\a", want: "^[[2J^[]0;x^G"},
		"a carriage return cannot hide a line":    {text: "bad\rgood", want: "bad^Mgood"},
		"delete and backspace are seen":           {text: "a\b\x7f", want: "a^H^?"},
		"eight-bit control characters are seen":   {text: "a\u009b2J", want: "a\\u009b2J"},
		"bytes that are no text are numbers":      {text: "a\x9b2J", want: "a\\x9b2J"},
		"nothing turns the text's direction":      {text: "a\u202eb\u2066c", want: "a\\u202eb\\u2066c"},
		"a replacement character is a character":  {text: "\ufffd", want: "\ufffd"},
		"a line separator is no end of our lines": {text: "a\u2028b", want: "a\\u2028b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := printable.Text(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := printable.Line("a\n\tb\r\nc\x1b"); got != "a b c^[" {
		t.Errorf("a line: got %q", got)
	}
}

func TestObjectReachesEveryText(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Annotations = map[string]string{"a": "x\x1b[1m"}
	pod.Spec.Containers = []corev1.Container{{Command: []string{"sh", "-c", "a\nb\x1b"}, Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
	}}}
	pod.Spec.RuntimeClassName = new("\x1bc")
	pod.Status.Phase = "\x1bRunning"
	printable.Object(pod)
	command := pod.Spec.Containers[0].Command[2]
	if pod.Annotations["a"] != "x^[[1m" || command != "a b^[" || *pod.Spec.RuntimeClassName != "^[c" || pod.Status.Phase != "^[Running" {
		t.Errorf("got %+v", pod)
	}
	if cpu := pod.Spec.Containers[0].Resources.Limits[corev1.ResourceCPU]; cpu.String() != "1" {
		t.Errorf("the quantity is %s", cpu.String())
	}
	printable.Object((*corev1.Pod)(nil))
	printable.Object(nil)
}
