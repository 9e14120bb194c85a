// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
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
		"a name and an image are enough":           {change: func(*Options) {}},
		"a name may have dots":                     {change: func(o *Options) { o.Name = "a.b" }},
		"a Service's name may not":                 {change: func(o *Options) { o.Name, o.Service = "a.b", true }, says: "leave out --service"},
		"a Service's name is shorter":              {change: func(o *Options) { o.Name, o.Service = strings.Repeat("a", 64), true }, says: "64 characters, at most 63"},
		"capitals are no name":                     {change: func(o *Options) { o.Name = "Dev" }, says: "cannot be a name"},
		"an image has no spaces":                   {change: func(o *Options) { o.Image = "a b" }, says: "spaces"},
		"a variable has a value":                   {change: func(o *Options) { o.Env = []string{"A"} }, says: "NAME=VALUE"},
		"a variable has a name":                    {change: func(o *Options) { o.Env = []string{"=x"} }, says: "cannot be the name"},
		"a value may be empty or hold equal signs": {change: func(o *Options) { o.Env = []string{"A=", "B=c=d"} }},
		"a label's value has a form":               {change: func(o *Options) { o.Labels = []string{"a=b c"} }, says: "--label"},
		"an annotation's value has none":           {change: func(o *Options) { o.Annotations = []string{"a=b c"} }},
		"labels of the operator are refused":       {change: func(o *Options) { o.Labels = []string{apis.LabelClaimUID + "=x"} }, says: "only the operator"},
		"the router's label is refused":            {change: func(o *Options) { o.Labels = []string{apis.LabelApp + "=" + apis.AppRouter} }, says: "only the operator"},
		"annotations of the operator are refused":  {change: func(o *Options) { o.Annotations = []string{apis.AnnotationPodName + "=x"} }, says: "only the operator"},
		"a volume has a size":                      {change: func(o *Options) { o.Volumes = []string{"data"} }, says: "NAME=SIZE[:PATH]"},
		"a volume's size is a quantity":            {change: func(o *Options) { o.Volumes = []string{"data=big"} }, says: "is not a size"},
		"a volume's size is more than nothing":     {change: func(o *Options) { o.Volumes = []string{"data=0"} }, says: "is not a size"},
		"a volume's path is absolute":              {change: func(o *Options) { o.Volumes = []string{"data=1Gi:here"} }, says: "absolute path"},
		"two volumes have two names":               {change: func(o *Options) { o.Volumes = []string{"a=1Gi", "a=1Gi:/b"} }, says: "same name or path"},
		"two volumes have two paths":               {change: func(o *Options) { o.Volumes = []string{"a=1Gi", "b=1Gi:/a"} }, says: "same name or path"},
		"a volume's whole name fits":               {change: func(o *Options) { o.Name, o.Volumes = strings.Repeat("a", 250), []string{"data=1Gi"} }, says: "too long together"},
		"a policy needs an end":                    {change: func(o *Options) { o.ShutdownPolicy = "Delete" }, says: "give --ttl too"},
		"a policy is read in any case":             {change: func(o *Options) { o.ShutdownPolicy, o.TTL = "delete", time.Hour }},
		"a claim's policy is refused":              {change: func(o *Options) { o.ShutdownPolicy, o.TTL = "DeleteForeground", time.Hour }, says: "use Delete or Retain"},
		"time runs forward":                        {change: func(o *Options) { o.TTL = -time.Hour }, says: "at least a second"},
		"the time after finishing is for claims":   {change: func(o *Options) { o.AfterFinished, o.AfterFinishedGiven = time.Hour, true }, says: "belongs to claims"},
		"a restart policy is one of three":         {change: func(o *Options) { o.Restart = "sometimes" }, says: "--restart"},
		"a dry run is one of three":                {change: func(o *Options) { o.DryRun.Mode = "yes" }, says: "--dry-run"},
		"a dry run waits for nothing":              {change: func(o *Options) { o.DryRun.Mode, o.Waiting.Wait = "client", true }, says: "do not go together"},
		"an output format is one of kubectl's":     {change: func(o *Options) { *o.printing.OutputFormat = "table" }, says: "table"},
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
			if err == nil || !strings.Contains(err.Error(), tt.says) || exit.Code(err) != exit.WrongUsage {
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
	s := o.Build("ns", now)
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
	if grace := o.Build("ns", now).Spec.PodTemplate.Spec.TerminationGracePeriodSeconds; grace != nil {
		t.Errorf("a program that may have something to save gets %d seconds, not what Kubernetes gives it", *grace)
	}
}

// command runs create against a cluster whose operator makes every Sandbox ready at once, or never.
func command(t *testing.T, operator bool, args ...string) (stdout, stderr string, cluster *fakecluster.Cluster, err error) {
	t.Helper()
	cluster = fakecluster.New()
	if operator {
		cluster.Sandboxes.PrependReactor("create", apis.ResourceSandboxes, func(action clienttesting.Action) (bool, runtime.Object, error) {
			s := action.(clienttesting.CreateAction).GetObject().(*agentsv1beta1.Sandbox)
			s.UID = "one"
			s.Status.Conditions = []metav1.Condition{apis.NewCondition(nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 0, metav1.NewTime(now))}
			return false, nil, nil
		})
	}
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	f := &fake.Factory{In: "ns", Time: clocktesting.NewFakeClock(now), SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes}
	cmd := NewCommand(f, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), cluster, err
}

func TestCommand(t *testing.T) {
	t.Run("what was created is named", func(t *testing.T) {
		out, errOut, _, err := command(t, false, "dev", "--image", "x")
		if err != nil || out != "sandbox."+apis.GroupAgents+"/dev created\n" || errOut != "" {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
	})
	t.Run("waiting tells on stderr and leaves stdout to the result", func(t *testing.T) {
		out, errOut, _, err := command(t, true, "dev", "--image", "x", "--wait")
		if err != nil || strings.Count(out, "\n") != 1 || !strings.Contains(errOut, "dev is ready after") {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
	})
	t.Run("waiting with -o json prints one document, of the ready Sandbox", func(t *testing.T) {
		out, _, _, err := command(t, true, "dev", "--image", "x", "--wait", "-o", "json")
		s := &agentsv1beta1.Sandbox{}
		if err != nil || json.Unmarshal([]byte(out), s) != nil || s.Kind != apis.KindSandbox || !apis.ConditionTrue(s.Status.Conditions, apis.ConditionReady) {
			t.Errorf("%v, %s", err, out)
		}
	})
	t.Run("what does not become ready stays, and the cure is told", func(t *testing.T) {
		out, errOut, cluster, err := command(t, false, "dev", "--image", "x", "--wait", "--timeout", "0")
		if exit.Code(err) != exit.TimedOut || !strings.Contains(out, "created") || !strings.Contains(errOut, "kubectl sandbox delete dev --yes") {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
		if _, err := cluster.Sandboxes.AgentsV1beta1().Sandboxes("ns").Get(t.Context(), "dev", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a dry run of the client sends nothing", func(t *testing.T) {
		out, _, cluster, err := command(t, false, "dev", "--image", "x", "--dry-run=client")
		if err != nil || !strings.Contains(out, "created (dry run)") || len(cluster.Sandboxes.Actions()) != 0 {
			t.Errorf("%v, %q, %v", err, out, cluster.Sandboxes.Actions())
		}
	})
	t.Run("a dry run of the server says so to the server", func(t *testing.T) {
		out, _, cluster, err := command(t, false, "dev", "--image", "x", "--dry-run=server")
		options := cluster.Sandboxes.Actions()[0].(clienttesting.CreateActionImpl).CreateOptions
		if err != nil || !strings.Contains(out, "created (server dry run)") || len(options.DryRun) != 1 {
			t.Errorf("%v, %q, %v", err, out, options)
		}
	})
}
