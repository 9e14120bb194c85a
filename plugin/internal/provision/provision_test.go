// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func options(change func(*Options)) *Options {
	o := NewOptions()
	o.Name, o.Image = "dev", "img:1"
	change(o)
	return o
}

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		change func(*Options)
		says   string // empty: valid
	}{
		"a name and an image are enough": {change: func(*Options) {}},
		"a name may have dots":           {change: func(o *Options) { o.Name = "a.b" }},
		"a Service's name may not": {
			change: func(o *Options) { o.Name, o.Service = "a.b", true }, says: "leave out --service",
		},
		"a Service's name is shorter": {
			change: func(o *Options) { o.Name, o.Service = strings.Repeat("a", 64), true }, says: "64 characters, at most 63",
		},
		"capitals are no name":   {change: func(o *Options) { o.Name = "Dev" }, says: "cannot be a name"},
		"an image has no spaces": {change: func(o *Options) { o.Image = "a b" }, says: "spaces"},
		"a variable has a value": {change: func(o *Options) { o.Env = []string{"A"} }, says: "NAME=VALUE"},
		"a variable has a name": {
			change: func(o *Options) { o.Env = []string{"=x"} }, says: "cannot be the name",
		},
		"a value may be empty or hold equal signs": {change: func(o *Options) { o.Env = []string{"A=", "B=c=d"} }},
		"a label's value has a form": {
			change: func(o *Options) { o.Labels = []string{"a=b c"} }, says: "--label",
		},
		"an annotation's value has none": {change: func(o *Options) { o.Annotations = []string{"a=b c"} }},
		"labels of the operator are refused": {
			change: func(o *Options) { o.Labels = []string{apis.LabelClaimUID + "=x"} }, says: "only the operator",
		},
		"the router's label is refused": {
			change: func(o *Options) { o.Labels = []string{apis.LabelApp + "=" + apis.AppRouter} }, says: "only the operator",
		},
		"annotations of the operator are refused": {
			change: func(o *Options) { o.Annotations = []string{apis.AnnotationPodName + "=x"} }, says: "only the operator",
		},
		"a volume has a size": {
			change: func(o *Options) { o.Volumes = []string{"data"} }, says: "NAME=SIZE[:PATH]",
		},
		"a volume's size is a quantity": {
			change: func(o *Options) { o.Volumes = []string{"data=big"} }, says: "is not a size",
		},
		"a volume's size is more than nothing": {
			change: func(o *Options) { o.Volumes = []string{"data=0"} }, says: "is not a size",
		},
		"a volume's path is absolute": {
			change: func(o *Options) { o.Volumes = []string{"data=1Gi:here"} }, says: "absolute path",
		},
		"two volumes have two names": {
			change: func(o *Options) { o.Volumes = []string{"a=1Gi", "a=1Gi:/b"} }, says: "same name or path",
		},
		"two volumes have two paths": {
			change: func(o *Options) { o.Volumes = []string{"a=1Gi", "b=1Gi:/a"} }, says: "same name or path",
		},
		"a volume's whole name fits": {
			change: func(o *Options) { o.Name, o.Volumes = strings.Repeat("a", 250), []string{"data=1Gi"} },
			says:   "too long together",
		},
		"a policy needs an end": {
			change: func(o *Options) { o.ShutdownPolicy = "Delete" }, says: "give --ttl too",
		},
		"a policy is read in any case": {
			change: func(o *Options) { o.ShutdownPolicy, o.TTL = "delete", time.Hour },
		},
		"a claim's policy is refused": {
			change: func(o *Options) { o.ShutdownPolicy, o.TTL = "DeleteForeground", time.Hour }, says: "use Delete or Retain",
		},
		"time runs forward": {
			change: func(o *Options) { o.TTL = -time.Hour }, says: "at least a second",
		},
		"the time after finishing is for claims": {
			change: func(o *Options) { o.AfterFinished, o.AfterFinishedGiven = time.Hour, true }, says: "belongs to claims",
		},
		"a restart policy is one of three": {change: func(o *Options) { o.Restart = "sometimes" }, says: "--restart"},
		"a dry run is one of three":        {change: func(o *Options) { o.DryRun.Mode = "yes" }, says: "--dry-run"},
		"a dry run waits for nothing": {
			change: func(o *Options) { o.DryRun.Mode, o.Waiting.Wait = "client", true }, says: "do not go together",
		},
		"an output format is one of kubectl's": {
			change: func(o *Options) { *o.PrintFlags.OutputFormat = "table" }, says: "table",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := options(tt.change).Validate()
			if tt.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) || cli.ExitCode(err) != cli.ExitUsage {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestBuild(t *testing.T) {
	o := options(func(o *Options) {
		o.Command = []string{"sleep", "infinity"}
		o.Env, o.Labels, o.Volumes = []string{"A=$(B)"}, []string{"team=a"}, []string{"data=1Gi", "cache=1Mi:/var/cache"}
		o.TTL, o.ShutdownPolicy, o.Service = time.Hour, "Delete", true
	})
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	s := o.BuildSandbox("ns", now)
	pod := s.Spec.PodTemplate.Spec
	c := pod.Containers[0]
	for what, ok := range map[string]bool{
		"name and namespace":          s.Name == "dev" && s.Namespace == "ns",
		"the command":                 strings.Join(c.Command, " ") == "sleep infinity",
		"a value arrives unexpanded":  c.Env[0].Value == "$$(B)",
		"labels on Sandbox and Pod":   s.Labels["team"] == "a" && s.Spec.PodTemplate.ObjectMeta.Labels["team"] == "a",
		"the default path":            c.VolumeMounts[0].MountPath == "/data",
		"the path that was given":     c.VolumeMounts[1].MountPath == "/var/cache",
		"two claims":                  len(s.Spec.VolumeClaimTemplates) == 2,
		"the end":                     s.Spec.ShutdownTime.Time.Equal(now.Add(time.Hour)),
		"the policy":                  *s.Spec.ShutdownPolicy == agentsv1beta1.ShutdownPolicyDelete,
		"the Service":                 *s.Spec.Service,
		"no credentials for the API":  !*pod.AutomountServiceAccountToken,
		"a container is kept running": pod.RestartPolicy == corev1.RestartPolicyAlways,
		"sleep ends at once":          *pod.TerminationGracePeriodSeconds == 1,
		"suspension is left open":     s.Spec.Replicas == nil && s.Spec.OperatingMode == nil,
	} {
		if !ok {
			t.Errorf("%s: wrong in %+v", what, s.Spec)
		}
	}
	o.Command = []string{"python3", "sleep"}
	if grace := o.BuildSandbox("ns", now).Spec.PodTemplate.Spec.TerminationGracePeriodSeconds; grace != nil {
		t.Errorf("a program that may have something to save gets %d seconds, not what Kubernetes gives it", *grace)
	}
}
