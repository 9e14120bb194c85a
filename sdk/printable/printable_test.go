// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printable_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
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
		"what takes up no room is seen": {
			text: "pay\u200bpal\ufeff\u00ad\u2060", want: "pay\\u200bpal\\ufeff\\u00ad\\u2060",
		},
		"tags that nobody sees are seen":   {text: "a\U000e0041", want: "a\\U000e0041"},
		"how an emoji looks may be chosen": {text: "\u2764\ufe0f", want: "\u2764\ufe0f"},
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

// The promises of Text and Line hold for all input.
func FuzzNothingSteersTheTerminal(f *testing.F) {
	for _, seed := range []string{
		"plain", "\x1b[2J\x1b]0;x\a", "a\u009b2J", "\x9b2J\xff", "a\u202e\u2066\u200b\ufeff", "\r\n\t\x7f", "\U000e0041",
		"\xed\xa0\x80",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, line := printable.Text(text), printable.Line(text)
		for _, shown := range []string{got, line} {
			if !utf8.ValidString(shown) || strings.ContainsFunc(shown, steers) {
				t.Errorf("%q gives %q", text, shown)
			}
			if printable.Text(shown) != shown {
				t.Errorf("%q is not printable itself", shown)
			}
		}
		if strings.ContainsAny(line, "\n\t") {
			t.Errorf("%q is not one line", line)
		}
		if utf8.ValidString(text) && !strings.ContainsFunc(text, steers) && got != text {
			t.Errorf("%q was harmless, and is shown as %q", text, got)
		}
		var out bytes.Buffer
		if _, err := printable.Fprintf(
			&out, "%s %v %q", text, errors.New(text), text,
		); err != nil || strings.ContainsFunc(out.String(), steers) ||
			strings.Contains(out.String(), "\n") {
			t.Errorf("printed %q", out.String())
		}
	})
}

// steers is written independently of what it tests: C0 except line ends and tabs, DEL, C1, bidi controls, separators
// and invisible characters.
func steers(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\ufe0e' || r == '\ufe0f':
		return false
	case r < 0x20,
		r >= 0x7f && r <= 0x9f,
		r == 0xad,
		r >= 0x200b && r <= 0x200f,
		r >= 0x2028 && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f,
		r == 0xfeff:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func TestArgumentsArePrintableAndFormatsStay(t *testing.T) {
	type word string
	var out bytes.Buffer
	_, err := printable.Fprintf(&out, "\x1b[1m%s\x1b[0m %v %s %d\n", word("a\x1bb"), errors.New("c\nd\x07"), label{}, 7)
	if want := "\x1b[1ma^[b\x1b[0m c d^G e^[f 7\n"; err != nil || out.String() != want {
		t.Errorf("%v, got %q", err, out.String())
	}
	out.Reset()
	if n, err := printable.Writer(&out).Write([]byte("Warning: \x1b[2Jx\n")); err != nil || n != 15 ||
		out.String() != "Warning: ^[[2Jx\n" {
		t.Errorf("%d, %v, got %q", n, err, out.String())
	}
}

type label struct{}

func (label) String() string { return "e\x1bf" }

func TestYAMLIsExactWhateverTheCharacters(t *testing.T) {
	pod := &corev1.Pod{}
	for r := rune(1); r < 0x300; r++ {
		pod.Status.Message += string(r)
	}
	pod.Status.Message += "\u2028\ufeff\ufffd\ufffe\uffff\U000e0041 日本"
	text, err := printable.YAML(pod)
	if err != nil {
		t.Fatal(err)
	}
	var again corev1.Pod
	if err := yaml.Unmarshal(text, &again); err != nil || again.Status.Message != pod.Status.Message {
		t.Errorf("%v, got %q", err, again.Status.Message)
	}
	if strings.ContainsRune(string(text), '\u009b') {
		t.Errorf("a control character is in %q", text)
	}
}

func TestObjectReachesEveryText(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Annotations = map[string]string{"a": "x\x1b[1m", "b\x1b": "y"}
	pod.Spec.Containers = []corev1.Container{
		{Command: []string{"sh", "-c", "a\nb\x1b"}, Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
		}},
	}
	pod.Spec.RuntimeClassName = new("\x1bc")
	pod.Status.Phase = "\x1bRunning"
	printable.Object(pod)
	command := pod.Spec.Containers[0].Command[2]
	if pod.Annotations["a"] != "x^[[1m" || pod.Annotations["b^["] != "y" || len(pod.Annotations) != 2 ||
		command != "a b^[" ||
		*pod.Spec.RuntimeClassName != "^[c" ||
		pod.Status.Phase != "^[Running" {
		t.Errorf("got %+v", pod)
	}
	if cpu := pod.Spec.Containers[0].Resources.Limits[corev1.ResourceCPU]; cpu.String() != "1" {
		t.Errorf("the quantity is %s", cpu.String())
	}
	printable.Object((*corev1.Pod)(nil))
	printable.Object(nil)
}
