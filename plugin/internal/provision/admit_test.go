// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// templateWith returns the template "python" with the policy for variables and volumes. It has the volumes data and
// scratch, and mounts these two and claimed.
func templateWith(policy string) *extensionsv1beta1.SandboxTemplate {
	return builders.Template("python", builders.WithVolume("data", "1Gi"),
		builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
			s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicy(policy)
			s.VolumeClaimTemplatesPolicy = extensionsv1beta1.VolumeClaimTemplatesPolicy(policy)
		}),
		builders.WithPodSpec(func(s *corev1.PodSpec) {
			s.Volumes = []corev1.Volume{{Name: "scratch"}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{
				{Name: "data", MountPath: "/data"}, {Name: "scratch", MountPath: "/scratch"},
				{Name: "claimed", MountPath: "/claimed"},
			}
		}))
}

func TestAClaimIsRefusedWhatItsTemplateDoesNotAdmit(t *testing.T) {
	const edit = ": kubectl sandbox template edit python"
	env := func(o *Options) { o.Env = []string{"A=b"} }
	volume := func(name string) func(*Options) { return func(o *Options) { o.Volumes = []string{name + "=32Mi"} } }
	ofPool := func(change func(*Options)) func(*Options) {
		return func(o *Options) {
			o.Template, o.Pool = "", "warm"
			change(o)
		}
	}
	tests := map[string]struct {
		policy string
		change func(*Options)
		says   []string // in the error; empty: it is created
	}{
		"nothing added is nothing refused": {policy: "Disallowed", change: func(*Options) {}},
		"variables are not allowed": {
			policy: "Disallowed", change: env, says: []string{"lets claims set no variables", "leave out --env", edit},
		},
		"variables are not allowed to a claim of a pool": {
			policy: "Disallowed", change: ofPool(env), says: []string{"template python lets claims set no variables"},
		},
		"variables are allowed": {policy: "Allowed", change: env},
		"volumes are not allowed": {
			policy: "Disallowed", change: volume("claimed"), says: []string{"lets claims add no volumes", "--volume", edit},
		},
		"a volume that is mounted is allowed": {policy: "Allowed", change: volume("claimed")},
		"a volume that is mounted is allowed to a claim of a pool": {
			policy: "Allowed", change: ofPool(volume("claimed")),
		},
		"a volume that nothing mounts would be of no use": {
			policy: "Allowed", change: volume("d"),
			says: []string{"mounts a volume d", "nothing could use it: call it claimed, or add a volumeMount", edit},
		},
		"nor would it with every right": {
			policy: "Overrides", change: volume("d"), says: []string{"call it claimed or data or scratch, or add"},
		},
		"a volume of the template is not replaced": {
			policy: "Allowed", change: volume("data"), says: []string{"has a volume data already", "to Overrides", edit},
		},
		"nor one of its Pod": {
			policy: "Allowed", change: volume("scratch"), says: []string{"has a volume scratch already"},
		},
		"a volume of the template is replaced with every right": {policy: "Overrides", change: volume("data")},
		"a cluster without policies decides on variables":       {policy: "", change: env},
		"a cluster without policies decides on volumes":         {policy: "", change: volume("d")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			created, errOut, err := createIn(t, tt.change, templateWith(tt.policy), builders.Pool("warm", "python"))
			if created != (tt.says == nil) || (err != nil) == created || errOut != "" {
				t.Errorf("created: %t, %v, %q", created, err, errOut)
			}
			for _, text := range tt.says {
				if err != nil && !strings.Contains(err.Error(), text) {
					t.Errorf("%q is not in: %v", text, err)
				}
			}
		})
	}
}

func TestWhatCouldNotBeCheckedIsTold(t *testing.T) {
	const warning = "Warning: whether the template admits --env and --volume was not checked: "
	volume := func(o *Options) { o.Volumes = []string{"d=1Gi"} }
	created, errOut, err := createIn(t, volume)
	if !created || err != nil || !strings.HasPrefix(errOut, warning+`no template is called "python"`) {
		t.Errorf("without the template: %t, %q, %v", created, errOut, err)
	}
	cluster := fakecluster.New(templateWith("Disallowed")).Refuse("get", apis.ResourceTemplates,
		fakecluster.Forbidden("get", apis.ResourceTemplates, apis.GroupExtensions))
	created, errOut, err = createWith(t, cluster, volume)
	if !created || err != nil || !strings.HasPrefix(errOut, warning) || !strings.Contains(errOut, "cannot get") {
		t.Errorf("without permission: %t, %q, %v", created, errOut, err)
	}
	cluster = fakecluster.New().Refuse("get", apis.ResourceTemplates, errors.New("disk full"))
	if created, _, err = createWith(t, cluster, volume); created || err == nil {
		t.Errorf("a failure was taken for an answer: %t, %v", created, err)
	}
}

// createIn creates a claim of the template "python" in a cluster with the objects.
func createIn(t *testing.T, change func(*Options), objects ...runtime.Object) (created bool, stderr string, err error) {
	t.Helper()
	return createWith(t, fakecluster.New(objects...), change)
}

func createWith(
	t *testing.T, cluster *fakecluster.Cluster, change func(*Options),
) (created bool, stderr string, err error) {
	t.Helper()
	o := claimOptions(change)
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	f := &fake.Factory{SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes}
	a, err := factory.NewClients(f)
	if err != nil {
		t.Fatal(err)
	}
	streams, _, _, errOut := genericiooptions.NewTestIOStreams()
	_, err = o.Create(t.Context(), f, a, streams)
	for _, action := range cluster.Sandboxes.Actions() {
		created = created || action.GetVerb() == "create"
	}
	return created, errOut.String(), err
}
