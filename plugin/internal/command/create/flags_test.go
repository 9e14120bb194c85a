// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

// notInTheObject returns the flags that do not describe the created object, with what they do instead.
func notInTheObject() map[string]string {
	return map[string]string{
		"dry-run": "the mode of this test", "output": "the format of this test", "quiet": "what is printed",
		"show-managed-fields": "what is printed", "allow-missing-template-keys": "what is printed",
		"wait": "what the command does afterwards", "timeout": "what --wait does; refused without it",
		"generate-name": "the name, if there is none; refused with a NAME",
	}
}

// exampleFlags returns a valid use of each flag that describes the object, with the flags that it needs.
func exampleFlags() map[string][]string {
	return map[string][]string{
		"image": {"--image=another"}, "template": {"--template=another"}, "pool": {"--pool=another"},
		"env": {"--env=A=b"}, "env-file": {"--env-file=variables"}, "label": {"--label=a=b"},
		"annotation": {"--annotation=a=b"}, "volume": {"--volume=data=1Gi"}, "ttl": {"--ttl=1h"},
		"ttl-after-finished": {"--ttl-after-finished=1h"}, "shutdown-policy": {"--shutdown-policy=Delete", "--ttl=1h"},
		"volume-retention": {"--volume-retention=Retain"}, "restart": {"--restart=Never"}, "service": {"--service"},
		"port": {"--port=80"}, "cpu": {"--cpu=1"}, "memory": {"--memory=1Gi"}, "requests": {"--requests=cpu=1"},
		"limits": {"--limits=cpu=1"}, "env-from": {"--env-from=secret/a"}, "service-account": {"--service-account=a"},
		"runtime-class": {"--runtime-class=gvisor"}, "node-selector": {"--node-selector=a=b"},
		"toleration": {"--toleration=a"}, "image-pull-secret": {"--image-pull-secret=a"},
		"uid": {"--uid=1"}, "read-only": {"--read-only"}, "restricted": {"--restricted"},
	}
}

func TestEachFlagHasAnEffectOrIsRefusedWhateverIsCreated(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("variables", []byte("A=b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	examples, others := exampleFlags(), notInTheObject()
	kinds := map[string][]string{
		"an image": {"--image=x"}, "a template": {"--template=t"}, "a pool": {"--pool=p"},
		"a template without a pool": {"--template=t", "--pool=none"}, "a pool of a template": {"--template=t", "--pool=p"},
	}
	flags := NewCommand(&fake.Factory{}, genericiooptions.NewTestIOStreamsDiscard()).Flags()
	flags.VisitAll(func(flag *pflag.Flag) {
		example, other := examples[flag.Name], others[flag.Name]
		if (example == nil) == (other == "") {
			t.Errorf("--%s: give an example of it here, or say what it does if it is not in the object", flag.Name)
		}
		if example == nil {
			return
		}
		for kind, source := range kinds {
			line := slices.Concat([]string{"dev", "--dry-run=client", "-o", "json"}, source)
			without, _, _, err := command(t, false, append(line, example[1:]...)...)
			if err != nil {
				t.Fatalf("--%s with %s: the example needs flags that are refused: %v", flag.Name, kind, err)
			}
			with, _, _, err := command(t, false, append(line, example...)...)
			switch refused := cli.ExitCode(err) == cli.ExitUsage; {
			case err != nil && !refused:
				t.Errorf("--%s with %s: %v", flag.Name, kind, err)
			case refused && !strings.Contains(err.Error(), "--"+flag.Name) && !namesInstead(flag.Name, err):
				t.Errorf("--%s with %s: the refusal does not name it: %v", flag.Name, kind, err)
			case !refused && with == without:
				t.Errorf("--%s with %s has no effect, and is not refused", flag.Name, kind)
			}
		}
	})
}

// namesInstead reports whether the refusal names the flag that has the same meaning.
func namesInstead(flag string, err error) bool {
	return flag == "env-file" && strings.Contains(err.Error(), "--env")
}

func TestATimeLimitWithoutAWaitIsRefused(t *testing.T) {
	_, _, _, err := command(t, false, "dev", "--image", "x", "--timeout", "1m")
	if cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(err.Error(), "give --wait too") {
		t.Errorf("got %v", err)
	}
}
