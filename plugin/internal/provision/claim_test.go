// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func claimOptions(change func(*Options)) *Options {
	o := NewOptions()
	o.Name, o.Template = "dev", "python"
	change(o)
	return o
}

func TestValidateClaim(t *testing.T) {
	tests := map[string]struct {
		change func(*Options)
		says   string // empty: valid
	}{
		"a template is enough":            {change: func(*Options) {}},
		"a pool is enough":                {change: func(o *Options) { o.Template, o.Pool = "", "warm" }},
		"a template and one of its pools": {change: func(o *Options) { o.Pool = "warm" }},
		"a template and no pool":          {change: func(o *Options) { o.Pool = "none" }},
		"a sandbox is made from something": {
			change: func(o *Options) { o.Template = "" }, says: "--image, --template or --pool is missing",
		},
		"an image and a template are two things": {
			change: func(o *Options) { o.Image = "x" }, says: "does not go together with --template",
		},
		"an image and a pool are two things": {
			change: func(o *Options) { o.Template, o.Pool, o.Image = "", "warm", "x" }, says: "does not go together",
		},
		"no pool alone is nothing": {
			change: func(o *Options) { o.Template, o.Pool = "", "none" }, says: "give --template too",
		},
		"a template's name is one": {
			change: func(o *Options) { o.Template = "Python" }, says: `--template: "Python" cannot be a name`,
		},
		"a pool's name is one": {change: func(o *Options) { o.Pool = "a b" }, says: "--pool"},
		"the template says the command": {
			change: func(o *Options) { o.Command = []string{"ls"} }, says: `leave out "-- COMMAND"`,
		},
		"the template says when to restart": {
			change: func(o *Options) { o.Restart = "Never" }, says: "--restart is set by the template",
		},
		"the template says whether there is a Service": {
			change: func(o *Options) { o.Service = true }, says: "--service is set by the template",
		},
		"variables need no pool to be named": {change: func(o *Options) { o.Env = []string{"A=b"} }},
		"variables go with a new sandbox": {
			change: func(o *Options) { o.Env, o.Pool = []string{"A=b"}, "none" },
		},
		"a warm sandbox takes no variables": {
			change: func(o *Options) { o.Env, o.Pool = []string{"A=b"}, "warm" }, says: "takes neither --env nor --volume",
		},
		"a warm sandbox takes no volumes": {
			change: func(o *Options) { o.Volumes, o.Pool = []string{"data=1Gi"}, "warm" },
			says:   "takes neither --env nor --volume",
		},
		"with a pool alone the operator decides": {
			change: func(o *Options) { o.Template, o.Pool, o.Env = "", "warm", []string{"A=b"} },
		},
		"a claim's volume has no path": {
			change: func(o *Options) { o.Volumes = []string{"data=1Gi:/data"} }, says: "cannot say where its volume is mounted",
		},
		"a claim ends when it has finished": {
			change: func(o *Options) { o.AfterFinished, o.AfterFinishedGiven = 0, true },
		},
		"the time after finishing is whole seconds": {
			change: func(o *Options) { o.AfterFinished, o.AfterFinishedGiven = 1500*time.Millisecond, true },
			says:   "whole seconds",
		},
		"the time after finishing runs forward": {
			change: func(o *Options) { o.AfterFinished, o.AfterFinishedGiven = -time.Second, true }, says: "none below 0",
		},
		"the time after finishing fits": {
			change: func(o *Options) { o.AfterFinished, o.AfterFinishedGiven = 600000*time.Hour, true }, says: "whole seconds",
		},
		"a policy belongs to the time after finishing": {
			change: func(o *Options) { o.ShutdownPolicy, o.AfterFinishedGiven = "deleteforeground", true },
		},
		"a policy belongs to a time": {
			change: func(o *Options) { o.ShutdownPolicy, o.TTL = "Retain", time.Hour },
		},
		"a policy without an end means nothing": {
			change: func(o *Options) { o.ShutdownPolicy = "Delete" }, says: "give --ttl too",
		},
		"a policy is one of three": {
			change: func(o *Options) { o.ShutdownPolicy, o.TTL = "Keep", time.Hour },
			says:   "use Delete, DeleteForeground or Retain",
		},
		"labels of the operator are refused for claims": {
			change: func(o *Options) { o.Labels = []string{apis.LabelClaimUID + "=x"} }, says: "only the operator",
		},
		"a claim's name is one": {
			change: func(o *Options) { o.Name = strings.Repeat("a", 254) }, says: "at most 253",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := claimOptions(tt.change).Validate()
			switch {
			case tt.says == "" && err != nil:
				t.Error(err)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) || cli.ExitCode(err) != cli.ExitUsage):
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestBuildClaim(t *testing.T) {
	tests := map[string]struct {
		change func(*Options)
		right  func(*extensionsv1beta1.SandboxClaim) bool
	}{
		"a template leaves the pools open": {change: func(*Options) {}, right: func(c *extensionsv1beta1.SandboxClaim) bool {
			return c.Name == "dev" && c.Namespace == "ns" && c.Spec.TemplateRef.Name == "python" && c.Spec.WarmPool == nil &&
				c.Spec.WarmPoolRef == nil &&
				c.Spec.Lifecycle == nil &&
				c.Spec.SandboxMetadata == nil
		}},
		"a pool alone is the reference": {
			change: func(o *Options) { o.Template, o.Pool = "", "warm" },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return c.Spec.TemplateRef == nil && c.Spec.WarmPool == nil && c.Spec.WarmPoolRef.Name == "warm"
			},
		},
		"a pool of the template is named": {
			change: func(o *Options) { o.Pool = "warm" },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return *c.Spec.WarmPool == "warm" && c.Spec.TemplateRef.Name == "python"
			},
		},
		"variables ask for a new sandbox": {
			change: func(o *Options) { o.Env = []string{"A=$(B)=c", "D="} },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return *c.Spec.WarmPool == apis.WarmPoolNone && len(c.Spec.Env) == 2 && c.Spec.Env[0].Name == "A" &&
					c.Spec.Env[0].Value == "$$(B)=c" &&
					c.Spec.Env[1].Value == ""
			},
		},
		"volumes ask for a new sandbox": {
			change: func(o *Options) { o.Volumes = []string{"data=1Gi"} },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				v := c.Spec.VolumeClaimTemplates
				return *c.Spec.WarmPool == apis.WarmPoolNone && len(v) == 1 && v[0].Name == "data" &&
					v[0].Spec.Resources.Requests.Storage().String() == "1Gi"
			},
		},
		"with a pool alone variables change no reference": {
			change: func(o *Options) { o.Template, o.Pool, o.Env = "", "warm", []string{"A=b"} },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return c.Spec.WarmPoolRef.Name == "warm" && c.Spec.WarmPool == nil && len(c.Spec.Env) == 1
			},
		},
		"labels and annotations reach all three": {
			change: func(o *Options) { o.Labels, o.Annotations = []string{"team=a"}, []string{"note=b c"} },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return c.Labels["team"] == "a" && c.Annotations["note"] == "b c" && c.Spec.SandboxMetadata.Labels["team"] == "a" &&
					c.Spec.PodMetadata.Annotations["note"] == "b c" && c.Spec.AdditionalPodMetadata.Labels == nil
			},
		},
		"the end is at a whole second": {
			change: func(o *Options) { o.TTL, o.ShutdownPolicy = 90*time.Minute+time.Millisecond, "delete" },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return c.Spec.Lifecycle.ShutdownTime.Time.Equal(now.Add(90*time.Minute)) &&
					c.Spec.Lifecycle.TTLSecondsAfterFinished == nil &&
					c.Spec.Lifecycle.ShutdownPolicy == "Delete"
			},
		},
		"zero seconds after finishing are not none": {
			change: func(o *Options) { o.AfterFinishedGiven = true },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return *c.Spec.Lifecycle.TTLSecondsAfterFinished == 0 && c.Spec.Lifecycle.ShutdownTime == nil
			},
		},
		"both ends may be given": {
			change: func(o *Options) { o.TTL, o.AfterFinished, o.AfterFinishedGiven = time.Hour, time.Minute, true },
			right: func(c *extensionsv1beta1.SandboxClaim) bool {
				return *c.Spec.Lifecycle.TTLSecondsAfterFinished == 60 && c.Spec.Lifecycle.ShutdownTime != nil &&
					c.Spec.Lifecycle.ShutdownPolicy == ""
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := claimOptions(tt.change)
			if err := o.Validate(); err != nil {
				t.Fatal(err)
			}
			if c := o.BuildClaim("ns", now); !tt.right(c) {
				t.Errorf("wrong: %+v", c)
			}
		})
	}
}
