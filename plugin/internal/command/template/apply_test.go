// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// inCluster returns the template of that name.
func inCluster(t *testing.T, cluster *fakecluster.Cluster, name string) *extensionsv1beta1.SandboxTemplate {
	t.Helper()
	templates := cluster.Sandboxes.ExtensionsV1beta1().SandboxTemplates(builders.Namespace)
	template, err := templates.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestApply(t *testing.T) {
	named := func(name string) string { return strings.ReplaceAll(file, "NAME", name) }
	onReplenish := func(pool string) string {
		return "pool/" + pool + " replaces older sandboxes as claims take them (update strategy OnReplenish); " +
			"to follow it: kubectl sandbox pool rollout status " + pool + "\n"
	}
	tests := map[string]struct {
		line, in, out, errOut string
		said                  string // in the error
		code                  int
		image                 string // of the template "plain" afterwards
	}{
		"a template is created": {line: "apply -f -", in: named("new"), out: "template/new created\n"},
		"a template is changed": {line: "apply -f -", in: named("plain"), out: "template/plain configured\n", image: "x"},
		"its pools say what they do": {
			line: "apply -f -", in: named("full"), out: "template/full configured\n",
			errOut: onReplenish("one") + onReplenish("two"),
		},
		"unless nobody wants to know": {line: "apply -f - -q", in: named("full"), out: "template/full\n"},
		"several documents are several templates": {
			line: "apply -f -", in: "# two\n---\n" + named("new") + "---\n# none\n---\n" + named("plain"),
			out: "template/new created\ntemplate/plain configured\n", image: "x",
		},
		"a dry run of the client sends nothing": {
			line: "apply -f - --dry-run", in: named("plain"), out: "template/plain applied (dry run)\n",
		},
		"nothing is sent unless all can be read": {
			line: "apply -f -", in: named("plain") + "---\nkind: ConfigMap\n", code: cli.ExitFailed,
			said: "- contains a ConfigMap",
		},
		"every template is tried": {
			line: "apply -f -", in: named("refused") + "---\n" + named("plain"), code: cli.ExitFailed, said: "not this one",
			out: "template/plain configured\n", image: "x",
		},
		"a template has a name":  {line: "apply -f -", in: named(`""`), code: cli.ExitFailed, said: "give metadata.name"},
		"a file has a template":  {line: "apply -f -", in: "# none\n", code: cli.ExitFailed, said: "- has no template"},
		"a file is needed":       {line: "apply", code: cli.ExitUsage, said: "-f is missing"},
		"a dry run has two ways": {line: "apply -f - --dry-run=maybe", code: cli.ExitUsage, said: "--dry-run"},
		"a file that is not there": {
			line: "apply -f /nonexistent", code: cli.ExitFailed, said: "read the template",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(objects()...)
			cluster.Sandboxes.PrependReactor("get", apis.ResourceTemplates,
				func(action clienttesting.Action) (bool, runtime.Object, error) {
					refused := action.(clienttesting.GetAction).GetName() == "refused"
					return refused, nil, errors.New("not this one")
				})
			out, errOut, err := run(t, cluster, tt.in, tt.line)
			if cli.ExitCode(err) != tt.code || out != tt.out || errOut != tt.errOut ||
				tt.said != "" && !strings.Contains(err.Error(), tt.said) {
				t.Errorf("code %d (%v), stdout %q, stderr %q", cli.ExitCode(err), err, out, errOut)
			}
			image := inCluster(t, cluster, "plain").Spec.PodTemplate.Spec.Containers[0].Image
			if changed := image == "x"; changed != (tt.image == "x") {
				t.Errorf("the image is %s", image)
			}
		})
	}
}

func TestAnAppliedTemplateIsWhatTheFileSaysAndKeepsTheLabelsOfOthers(t *testing.T) {
	cluster := fakecluster.New(objects()...)
	const labelled = `apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: full, labels: {stage: test}, annotations: {note: a b}, uid: other, resourceVersion: "1"}
spec: {podTemplate: {spec: {containers: [{name: main, image: x}]}}}
`
	for _, want := range []string{"template/full configured\n", "template/full unchanged\n"} {
		if out, _, err := run(t, cluster, labelled, "apply -f -"); err != nil || out != want {
			t.Errorf("got %q, %v", out, err)
		}
	}
	got := inCluster(t, cluster, "full")
	if got.UID != "t" || got.Labels["team"] != "a" || got.Labels["stage"] != "test" || got.Annotations["note"] != "a b" {
		t.Errorf("metadata %+v", got.ObjectMeta)
	}
	if got.Spec.VolumeClaimTemplates != nil || got.Spec.EnvVarsInjectionPolicy != "" ||
		got.Spec.PodTemplate.Spec.RuntimeClassName != nil {
		t.Errorf("what the file leaves out stays: %+v", got.Spec)
	}
}

// editors sets the editor to a program that writes the given texts, one each time that it is started, over the file.
// Without a text left it keeps the file. It returns what the file was each time.
func editors(t *testing.T, texts ...string) (seen func() []string) {
	t.Helper()
	home := t.TempDir()
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(home, "text"+string(rune('0'+i))), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const script = `#!/bin/sh
n=$(ls "$0".seen* 2>/dev/null | wc -l | tr -d ' ')
cp "$2" "$0.seen$n"
if [ -e "${0%/*}/text$n" ]; then cp "${0%/*}/text$n" "$2"; fi
`
	program := filepath.Join(home, "editor")
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBE_EDITOR", program+" --wait")
	return func() []string {
		var all []string
		for i := range 9 {
			content, err := os.ReadFile(program + ".seen" + string(rune('0'+i)))
			if err != nil {
				break
			}
			all = append(all, string(content))
		}
		return all
	}
}

func TestEdit(t *testing.T) {
	edited := strings.ReplaceAll(file, "NAME", "plain, namespace: default")
	broken := strings.ReplaceAll(edited, "image:", "imagee:")
	tests := map[string]struct {
		line  string
		texts []string
		out   string
		said  string // in the error
		code  int
		opens int
		shown string // in the last text that was opened
		image string // of the template afterwards
	}{
		"a text is saved": {
			line: "edit plain", texts: []string{edited}, out: "template/plain configured\n", opens: 1,
			shown: "kind: SandboxTemplate\n", image: "x",
		},
		"comments at the top are no part of it": {
			line: "edit plain", texts: []string{"# one\n# two\n" + edited}, out: "template/plain configured\n", opens: 1,
			image: "x",
		},
		"a text without a change changes nothing": {line: "edit plain", out: "template/plain unchanged\n", opens: 1},
		"an empty text changes nothing": {
			line: "edit plain", texts: []string{"# none\n\n"}, out: "template/plain unchanged\n", opens: 1,
		},
		"a wrong text is opened again with the reason": {
			line: "edit plain", texts: []string{broken, edited}, out: "template/plain configured\n", opens: 2,
			shown: "unknown field \"imagee\"\n" + broken, image: "x",
		},
		"a wrong text that stays wrong is kept": {
			line: "edit plain", texts: []string{broken}, opens: 2, code: cli.ExitFailed, said: "; your text is in ",
		},
		"another name is refused": {
			line: "edit plain", texts: []string{strings.ReplaceAll(edited, "plain", "other")}, opens: 2, code: cli.ExitFailed,
			said: "name and namespace cannot change: they are plain and default",
		},
		"a template that is not there opens nothing": {
			line: "edit nope", code: cli.ExitFailed, said: `no template is called "nope"`,
		},
		"a pool is no template": {line: "edit pool/one", code: cli.ExitUsage, said: "is not a template"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir()) // for the texts that are kept
			seen := editors(t, tt.texts...)
			cluster := fakecluster.New(objects()...)
			out, errOut, err := run(t, cluster, "", tt.line)
			if cli.ExitCode(err) != tt.code || out != tt.out || errOut != "" ||
				tt.said != "" && !strings.Contains(err.Error(), tt.said) {
				t.Errorf("code %d (%v), stdout %q, stderr %q", cli.ExitCode(err), err, out, errOut)
			}
			all := seen()
			if len(all) != tt.opens || tt.shown != "" && !strings.Contains(all[len(all)-1], tt.shown) {
				t.Errorf("the editor was opened %d times: %q", len(all), all)
			}
			image := inCluster(t, cluster, "plain").Spec.PodTemplate.Spec.Containers[0].Image
			if changed := image == "x"; changed != (tt.image == "x") {
				t.Errorf("the image is %s", image)
			}
			if _, kept, found := strings.Cut(errorText(err), "your text is in "); found {
				if content, err := os.ReadFile(kept); err != nil || string(content) != tt.texts[0] {
					t.Errorf("kept %q, %v", content, err)
				}
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAnEditorThatFailsIsNamed(t *testing.T) {
	t.Setenv("KUBE_EDITOR", "false")
	_, _, err := run(t, fakecluster.New(objects()...), "", "edit plain")
	if err == nil || !strings.Contains(err.Error(), `editor "false", of KUBE_EDITOR or EDITOR: exit status 1`) {
		t.Errorf("got %v", err)
	}
}

func TestAnEditThatMeetsAChangeKeepsTheText(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	editors(t, strings.ReplaceAll(file, "NAME", "plain, namespace: default"))
	conflict := apierrors.NewConflict(
		schema.GroupResource{Resource: apis.ResourceTemplates}, "plain", errors.New("the object has been modified"),
	)
	cluster := fakecluster.New(objects()...).Refuse("patch", apis.ResourceTemplates, conflict)
	_, _, err := run(t, cluster, "", "edit plain")
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(err.Error(), "somebody else has changed") ||
		!strings.Contains(err.Error(), "; your text is in ") {
		t.Errorf("got %v", err)
	}
}
