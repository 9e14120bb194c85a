// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func quantities(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
	}
}

func TestThePodIsWhatTheFlagsSay(t *testing.T) {
	tests := map[string]struct {
		pod  PodOptions
		want func(*corev1.PodSpec, *corev1.Container)
	}{
		"nothing": {want: func(*corev1.PodSpec, *corev1.Container) {}},
		"requests and limits at once": {
			pod: PodOptions{CPU: "500m", Memory: "1Gi"},
			want: func(_ *corev1.PodSpec, c *corev1.Container) {
				c.Resources = corev1.ResourceRequirements{Requests: quantities("500m", "1Gi"), Limits: quantities("500m", "1Gi")}
			},
		},
		"requests and limits apart": {
			pod: PodOptions{CPU: "2", Requests: []string{"cpu=1", "memory=1Gi"}, Limits: []string{"memory=2Gi"}},
			want: func(_ *corev1.PodSpec, c *corev1.Container) {
				c.Resources = corev1.ResourceRequirements{Requests: quantities("1", "1Gi"), Limits: quantities("2", "2Gi")}
			},
		},
		"a limit alone": {
			pod: PodOptions{Limits: []string{"nvidia.com/gpu=1"}},
			want: func(_ *corev1.PodSpec, c *corev1.Container) {
				c.Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}
			},
		},
		"variables of other objects": {
			pod: PodOptions{EnvFrom: []string{"secret/keys", "configmap/settings"}},
			want: func(_ *corev1.PodSpec, c *corev1.Container) {
				keys, settings := &corev1.SecretEnvSource{}, &corev1.ConfigMapEnvSource{}
				keys.Name, settings.Name = "keys", "settings"
				c.EnvFrom = []corev1.EnvFromSource{{SecretRef: keys}, {ConfigMapRef: settings}}
			},
		},
		"ports": {
			pod: PodOptions{Ports: []string{"http=80", "81"}},
			want: func(_ *corev1.PodSpec, c *corev1.Container) {
				c.Ports = []corev1.ContainerPort{
					{Name: "http", ContainerPort: 80, Protocol: "TCP"}, {ContainerPort: 81, Protocol: "TCP"},
				}
			},
		},
		"where it runs, and as whom": {
			pod: PodOptions{
				ServiceAccount: "robot", RuntimeClass: "gvisor", NodeSelector: []string{"a=b", "example.com/c="},
				Tolerations: []string{"gpu=true:NoSchedule", "spot", "x:NoExecute"}, PullSecrets: []string{"registry"},
			},
			want: func(p *corev1.PodSpec, _ *corev1.Container) {
				p.ServiceAccountName, p.RuntimeClassName = "robot", new("gvisor")
				p.NodeSelector = map[string]string{"a": "b", "example.com/c": ""}
				p.Tolerations = []corev1.Toleration{
					{Key: "gpu", Operator: "Equal", Value: "true", Effect: "NoSchedule"},
					{Key: "spot", Operator: "Exists"}, {Key: "x", Operator: "Exists", Effect: "NoExecute"},
				}
				p.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
			},
		},
		"as whom it runs": {
			pod: PodOptions{SecurityOptions: SecurityOptions{RunAsUser: "1001"}},
			want: func(p *corev1.PodSpec, _ *corev1.Container) {
				p.SecurityContext = &corev1.PodSecurityContext{
					RunAsUser: new(int64(1001)), RunAsGroup: new(int64(1001)), FSGroup: new(int64(1001)),
				}
			},
		},
		"a root file system that cannot be written": {
			pod: PodOptions{SecurityOptions: SecurityOptions{ReadOnly: true}},
			want: func(p *corev1.PodSpec, c *corev1.Container) {
				c.SecurityContext = &corev1.SecurityContext{ReadOnlyRootFilesystem: new(true)}
				c.VolumeMounts = []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}}
				p.Volumes = []corev1.Volume{{
					Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
				}}
			},
		},
		"no privileges, as user 1000": {
			pod:  PodOptions{SecurityOptions: SecurityOptions{Restricted: true}},
			want: restrictedAs(1000, 1000),
		},
		"no privileges, as another user of another group": {
			pod:  PodOptions{SecurityOptions: SecurityOptions{Restricted: true, RunAsUser: "2000:0"}},
			want: restrictedAs(2000, 0),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			build := func(pod PodOptions) *corev1.PodSpec {
				o := NewOptions()
				o.Name, o.Image, o.Pod = "dev", "x", pod
				if err := o.Validate(); err != nil {
					t.Fatal(err)
				}
				return &o.BuildSandbox("ns", time.Time{}).Spec.PodTemplate.Spec
			}
			want := build(PodOptions{})
			tt.want(want, &want.Containers[0])
			if diff := cmp.Diff(want, build(tt.pod)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func restrictedAs(user, group int64) func(*corev1.PodSpec, *corev1.Container) {
	return func(p *corev1.PodSpec, c *corev1.Container) {
		p.SecurityContext = &corev1.PodSecurityContext{
			RunAsUser: &user, RunAsGroup: &group, FSGroup: &group, RunAsNonRoot: new(true),
			SeccompProfile: &corev1.SeccompProfile{Type: "RuntimeDefault"},
		}
		c.SecurityContext = &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}
	}
}

func TestADirectoryForTemporaryFilesLeavesVolumesAlone(t *testing.T) {
	for volume, want := range map[string]string{
		"data=1Gi": "data:/data tmp:/tmp", "data=1Gi:/tmp/": "data:/tmp/", "tmp=1Gi:/data": "tmp:/data tmp-dir:/tmp",
	} {
		o := NewOptions()
		o.Name, o.Image, o.Volumes, o.Pod.ReadOnly = "dev", "x", []string{volume}, true
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, mount := range o.BuildSandbox("ns", time.Time{}).Spec.PodTemplate.Spec.Containers[0].VolumeMounts {
			got = append(got, mount.Name+":"+mount.MountPath)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("--volume %s: got %v, want %s", volume, got, want)
		}
	}
}

func TestWhatAPodCannotHave(t *testing.T) {
	tests := map[string]struct {
		pod  PodOptions
		says string
	}{
		"a quantity that is none": {PodOptions{CPU: "much"}, "is not a quantity"},
		"a limit without a name":  {PodOptions{Limits: []string{"1Gi"}}, "use NAME=QUANTITY"},
		"more requested than allowed": {
			PodOptions{CPU: "1", Requests: []string{"cpu=2"}}, "the request of 2 is above the limit of 1",
		},
		"variables of no kind":            {PodOptions{EnvFrom: []string{"keys"}}, "use secret/NAME or configmap/NAME"},
		"a node selector without a value": {PodOptions{NodeSelector: []string{"gpu"}}, "use KEY=VALUE"},
		"a taint without a key":           {PodOptions{Tolerations: []string{":NoSchedule"}}, "use KEY[=VALUE][:EFFECT]"},
		"an effect that is none":          {PodOptions{Tolerations: []string{"a:Never"}}, "the effect is NoSchedule"},
		"a pull secret that is none":      {PodOptions{PullSecrets: []string{"A_"}}, "cannot be a name"},
		"a user that is a name": {
			PodOptions{SecurityOptions: SecurityOptions{RunAsUser: "nobody"}}, "use UID[:GID]",
		},
		"a group that is a name": {
			PodOptions{SecurityOptions: SecurityOptions{RunAsUser: "1000:users"}}, "use UID[:GID]",
		},
		"a user without privileges that is root": {
			PodOptions{SecurityOptions: SecurityOptions{RunAsUser: "0:1000", Restricted: true}},
			"--restricted does not permit user 0",
		},
		"an account that is none": {PodOptions{ServiceAccount: "A_"}, "--service-account"},
		"two ports of one number": {
			PodOptions{Ports: []string{"80", "http=80"}}, "another port has the same name or number",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := NewOptions()
			o.Name, o.Image, o.Pod = "dev", "x", tt.pod
			if err := o.Validate(); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAClaimRefusesWhatItsTemplateSets(t *testing.T) {
	for flag, pod := range map[string]PodOptions{
		"--port": {Ports: []string{"80"}}, "--cpu": {CPU: "1"}, "--memory": {Memory: "1Gi"},
		"--requests": {Requests: []string{"cpu=1"}}, "--limits": {Limits: []string{"cpu=1"}},
		"--env-from": {EnvFrom: []string{"secret/x"}}, "--service-account": {ServiceAccount: "x"},
		"--runtime-class": {RuntimeClass: "x"}, "--node-selector": {NodeSelector: []string{"a=b"}},
		"--toleration": {Tolerations: []string{"a"}}, "--image-pull-secret": {PullSecrets: []string{"x"}},
		"--uid":        {SecurityOptions: SecurityOptions{RunAsUser: "1"}},
		"--read-only":  {SecurityOptions: SecurityOptions{ReadOnly: true}},
		"--restricted": {SecurityOptions: SecurityOptions{Restricted: true}},
	} {
		o := NewOptions()
		o.Name, o.Template, o.Pod = "dev", "t", pod
		if err := o.Validate(); cli.ExitCode(err) != cli.ExitUsage ||
			!strings.HasPrefix(err.Error(), flag+" is set by the template") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
