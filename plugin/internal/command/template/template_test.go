// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/template"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func age(d time.Duration) builders.Meta { return builders.CreatedAt(now.Add(-d)) }

// objects returns a template with every field, one with the required fields only, and pools of the first.
func objects() []runtime.Object {
	full := builders.Template(
		"full",
		builders.WithUID("t"),
		age(time.Hour),
		builders.WithLabel("team", "a"),
		builders.WithVolume("data", "2Gi"),
		builders.WithPodSpec(func(s *corev1.PodSpec) {
			s.RuntimeClassName, s.ServiceAccountName = new("gvisor"), "robot"
			s.Containers[0].Command = []string{"sh", "-c", "echo \x1b[2J\nsleep infinity"}
		}),
		builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
			s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyOverrides
			s.VolumeClaimTemplatesPolicy = extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed
			s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
		}),
	)
	return []runtime.Object{
		full, builders.Template("plain", age(2*time.Hour)),
		builders.Pool(
			"one", "full",
		), builders.Pool("two", "full"), builders.Pool("far", "full", builders.InNamespace("elsewhere")),
	}
}

func run(t *testing.T, cluster *fakecluster.Cluster, in, line string) (stdout, stderr string, err error) {
	t.Helper()
	streams, stdin, out, errOut := genericiooptions.NewTestIOStreams()
	stdin.WriteString(in)
	cmd := template.NewCommand(
		&fake.Factory{
			Time:             clocktesting.NewFakeClock(now),
			SandboxesClient:  cluster.Sandboxes,
			KubernetesClient: cluster.Kubernetes,
		},
		streams,
	)
	cmd.SetArgs(strings.Fields(line))
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestPagesForPeople(t *testing.T) {
	tests := map[string]struct {
		line   string
		hidden bool
		golden string
	}{
		"a list says what claims may do": {line: "list", golden: "list.txt"},
		"a list for one who may not see pools": {
			line:   "list --sort-by .metadata.creationTimestamp",
			hidden: true,
			golden: "list-hidden.txt",
		},
		"a template with everything": {line: "describe full", golden: "describe.txt"},
		"templates by their labels":  {line: "describe -l team=a", golden: "describe.txt"},
		"two templates, and hidden pools": {
			line:   "describe plain template/full",
			hidden: true,
			golden: "describe-hidden.txt",
		},
		"a template that would be created": {
			line: "create t --image x --port http=8080 --volume data=1Gi:/data --env A=b --env-policy allowed" +
				" --volume-policy overrides --cpu 500m --memory 1Gi --runtime-class gvisor" +
				" --service-account robot --label team=a --dry-run=client -o yaml -- sleep infinity",
			golden: "create.yaml",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(objects()...)
			if tt.hidden {
				cluster.Refuse(
					"list", apis.ResourceWarmPools, fakecluster.Forbidden("list", apis.ResourceWarmPools, apis.GroupExtensions),
				)
			}
			out, errOut, err := run(t, cluster, "", tt.line)
			if err != nil || errOut != "" {
				t.Fatalf("%v, %q", err, errOut)
			}
			if strings.Contains(out, "\x1b") {
				t.Errorf("a field controls the terminal: %q", out)
			}
			golden.Compare(t, filepath.Join("testdata", tt.golden), []byte(out))
		})
	}
}

const file = `apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: NAME}
spec: {podTemplate: {spec: {containers: [{name: main, image: x}]}}}
`

func TestChanges(t *testing.T) {
	created := func(name string) string { return "sandboxtemplate." + apis.GroupExtensions + "/" + name + " created\n" }
	tests := map[string]struct {
		line string
		in   string
		out  string
		said string // in the error
		code int
	}{
		"a template is created from an image": {
			line: "create t --image x --memory 1Gi -- sleep infinity", out: created("t"),
		},
		"a template is created from a file": {
			line: "create t -f -",
			in:   strings.NewReplacer("NAME", "t", "image: x", "image: x, resources: {limits: {memory: 1Gi}}").Replace(file),
			out:  created("t"),
		},
		"a file that names it otherwise": {
			line: "create t -f -",
			in:   strings.ReplaceAll(file, "NAME", "u"),
			said: `names the template "u"`,
			code: cli.ExitFailed,
		},
		"a file of something else": {
			line: "create t -f -",
			in:   strings.ReplaceAll(file, "SandboxTemplate", "SandboxClaim"),
			said: "give one SandboxTemplate",
			code: cli.ExitFailed,
		},
		"a file with an unknown field": {
			line: "create t -f -",
			in:   file + "extra: 1\n",
			said: "is not a SandboxTemplate",
			code: cli.ExitFailed,
		},
		"a file that is not there": {
			line: "create t -f /nonexistent",
			said: "read the template",
			code: cli.ExitFailed,
		},
		"a file says everything": {
			line: "create t -f - --image x",
			said: "-f describes the whole template",
			code: cli.ExitUsage,
		},
		"a source is needed": {line: "create t", said: "--image or -f is missing", code: cli.ExitUsage},
		"a name is one":      {line: "create T --image x", said: "cannot be a name", code: cli.ExitUsage},
		"a name leaves room": {
			line: "create " + strings.Repeat("t", 239) + " --image x",
			said: "at most 238",
			code: cli.ExitUsage,
		},
		"a port is one": {
			line: "create t --image x --port 0",
			said: "1 to 65535",
			code: cli.ExitUsage,
		},
		"two ports have two numbers": {
			line: "create t --image x --port 80 --port http=80",
			said: "another port",
			code: cli.ExitUsage,
		},
		"a policy is one of three": {
			line: "create t --image x --env-policy maybe",
			said: "Disallowed, Allowed or Overrides",
			code: cli.ExitUsage,
		},
		"processors are a quantity": {line: "create t --image x --cpu many", said: "--cpu", code: cli.ExitUsage},
		"memory is more than nothing": {
			line: "create t --image x --memory 0",
			said: "--memory",
			code: cli.ExitUsage,
		},
		"the operator's labels are refused": {
			line: "create t --image x --label " + apis.LabelClaimUID + "=x",
			said: "only the operator",
			code: cli.ExitUsage,
		},
		"a template is deleted": {line: "delete full --yes", out: "template/full deleted\n"},
		"templates are deleted in all namespaces": {
			line: "delete -l team=a -A --yes", out: "template/full deleted in namespace default\n",
		},
		"every template is tried": {
			line: "delete nope full --yes",
			out:  "template/full deleted\n",
			said: `no template is called "nope"`,
			code: cli.ExitFailed,
		},
		"nobody can be asked":   {line: "delete full", said: "give --yes", code: cli.ExitUsage},
		"a pool is no template": {line: "describe pool/one", said: "is not a template", code: cli.ExitUsage},
		"a template that is not there is named": {
			line: "describe nope",
			said: `no template is called "nope"`,
			code: cli.ExitFailed,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, errOut, err := run(t, fakecluster.New(objects()...), tt.in, tt.line)
			if cli.ExitCode(err) != tt.code || out != tt.out || errOut != "" {
				t.Errorf("code %d, stdout %q, stderr %q (%v)", cli.ExitCode(err), out, errOut, err)
			}
			if tt.said != "" && (err == nil || !strings.Contains(err.Error(), tt.said)) {
				t.Errorf("told %v, want %q", err, tt.said)
			}
		})
	}
}

func TestProgramsGetOneDocument(t *testing.T) {
	for line, count := range map[string]int{
		"list -o json": 2, "list -o json -l team=a": 1, "list -o json -l team=nobody": 0,
	} {
		out, _, err := run(t, fakecluster.New(objects()...), "", line)
		list := metav1.List{}
		if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list.Items) != count {
			t.Errorf("%s: %v, %s", line, err, out)
		}
	}
}
