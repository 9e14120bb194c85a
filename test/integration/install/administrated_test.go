// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// administrator changes an installation as kubectl and other tools do, each with its own field manager.
type administrator struct {
	*testing.T
	client kubernetes.Interface
}

func (a *administrator) deployment() *appsv1.Deployment {
	a.Helper()
	d, err := a.client.AppsV1().Deployments(apis.OperatorNamespace).Get(a.Context(), apis.OperatorName,
		metav1.GetOptions{})
	if err != nil {
		a.Fatal(err)
	}
	return d
}

func (a *administrator) edit(manager string, change func(*corev1.PodSpec)) {
	a.Helper()
	d := a.deployment()
	change(&d.Spec.Template.Spec)
	if _, err := a.client.AppsV1().Deployments(d.Namespace).Update(a.Context(), d,
		metav1.UpdateOptions{FieldManager: manager}); err != nil {
		a.Fatal(err)
	}
}

func (a *administrator) scale(replicas int32) {
	a.Helper()
	scales := a.client.AppsV1().Deployments(apis.OperatorNamespace)
	scale, err := scales.GetScale(a.Context(), apis.OperatorName, metav1.GetOptions{})
	if err != nil {
		a.Fatal(err)
	}
	scale.Spec.Replicas = replicas
	if _, err := scales.UpdateScale(a.Context(), apis.OperatorName, scale,
		metav1.UpdateOptions{FieldManager: "kubectl"}); err != nil {
		a.Fatal(err)
	}
}

// changeInstallation makes changes that install must keep.
func (a *administrator) changeInstallation() {
	a.Helper()
	container := func(change func(*corev1.Container)) func(*corev1.PodSpec) {
		return func(p *corev1.PodSpec) { change(&p.Containers[0]) }
	}
	a.edit("kubectl-set", container(func(c *corev1.Container) { c.Image = "localhost/operator:hotfix" }))
	a.edit("kubectl-set", container(func(c *corev1.Container) {
		c.Env = append(c.Env, corev1.EnvVar{Name: "GOMAXPROCS", Value: "2"})
	}))
	a.edit("kubectl-edit", container(func(c *corev1.Container) { c.Args = append(c.Args, "--kube-api-qps=77") }))
	a.edit("kubectl-edit", container(func(c *corev1.Container) {
		c.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("4Gi")
		c.Resources.Limits[corev1.ResourceCPU] = resource.MustParse("2")
	}))
	a.edit("kubectl-patch", func(p *corev1.PodSpec) { p.NodeSelector = map[string]string{"disk": "ssd"} })
	a.edit("helm", func(p *corev1.PodSpec) {
		p.Tolerations = []corev1.Toleration{{Key: "infra", Operator: corev1.TolerationOpExists}}
		nodes := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "infra", Operator: corev1.NodeSelectorOpExists}}},
		}}
		p.Affinity = &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: nodes},
		}
	})
	a.scale(3)
	accounts := a.client.CoreV1().ServiceAccounts(apis.OperatorNamespace)
	account, err := accounts.Get(a.Context(), apis.OperatorName, metav1.GetOptions{})
	if err != nil {
		a.Fatal(err)
	}
	account.Annotations = map[string]string{"eks.amazonaws.com/role-arn": "arn"}
	if _, err := accounts.Update(a.Context(), account, metav1.UpdateOptions{
		FieldManager: "kubectl-annotate",
	}); err != nil {
		a.Fatal(err)
	}
}

// checkKeptChanges tests install on an installation that an administrator has changed.
func checkKeptChanges(t *testing.T) {
	t.Helper()
	kubeconfig := server.Kubeconfig()
	a := &administrator{t, kubernetes.NewForConfigOrDie(server.Config())}
	a.changeInstallation()
	was := a.deployment()

	out, _, err := runAs(t, kubeconfig, "install", "--dry-run=server")
	if err != nil || strings.Count(out, " unchanged (server dry run)\n") != len(presentObjects(t)) {
		t.Errorf("a dry run after an administrator's changes: %v\n%s", err, out)
	}
	out, errOut, err := runAs(t, kubeconfig, "install", "--wait=false")
	if err != nil || strings.Count(out, " unchanged\n") != len(presentObjects(t)) {
		t.Errorf("install after an administrator's changes: %v\n%s", err, out)
	}
	for _, says := range []string{
		"keeps the image localhost/operator:hotfix", "keeps .spec.template.spec.nodeSelector, which kubectl-patch set",
		`.resources.limits.memory, which kubectl-edit set; --force-conflicts takes it back`,
	} {
		if !strings.Contains(errOut, says) {
			t.Errorf("not %q in %s", says, errOut)
		}
	}
	if now := a.deployment(); now.Generation != was.Generation {
		t.Errorf("the Deployment changed: %+v", now.Spec.Template.Spec)
	}
	account, err := a.client.CoreV1().ServiceAccounts(apis.OperatorNamespace).Get(t.Context(), apis.OperatorName,
		metav1.GetOptions{})
	if err != nil || account.Annotations["eks.amazonaws.com/role-arn"] != "arn" {
		t.Errorf("%v, annotations %v", err, account.Annotations)
	}
	a.checkFlags()
	a.checkPermissions()
	if _, errOut, err := runAs(t, kubeconfig, "install", "--force-conflicts", "--image", "localhost/operator:v2",
		"--wait=false"); err != nil {
		t.Errorf("%v, %s", err, errOut)
	}
	spec := a.deployment().Spec
	c := spec.Template.Spec.Containers[0]
	if *spec.Replicas != 1 || slices.Contains(c.Args, "--kube-api-qps=77") ||
		c.Resources.Limits.Memory().String() != "1Gi" || spec.Template.Spec.NodeSelector["disk"] != "" {
		t.Errorf("after --force-conflicts: %d replicas, %+v", *spec.Replicas, spec.Template.Spec)
	}
}

// checkFlags checks that flags change only the fields that they name, and that a dry run shows the difference.
func (a *administrator) checkFlags() {
	a.Helper()
	flags := []string{"--replicas", "2", "--arg=--kube-api-qps=5", "--arg=--kube-api-burst=9", "--env", "GOMAXPROCS=3",
		"--env", "OTEL_TRACES_SAMPLER=always_on", "--wait=false"}
	out, _, err := runAs(a.T, server.Kubeconfig(), "install", append(slices.Clone(flags), "--dry-run=server")...)
	if err != nil || strings.Count(out, " configured (server dry run)\n") != 1 {
		a.Errorf("a dry run of a change: %v\n%s", err, out)
	}
	for _, line := range []string{
		"deployment.apps/" + apis.OperatorName + " configured (server dry run)", "-  \"replicas\": 3,", "+  \"replicas\": 2,",
		"--kube-api-qps=77", "--kube-api-qps=5",
	} {
		if !strings.Contains(out, line) {
			a.Errorf("not %q in\n%s", line, out)
		}
	}
	if *a.deployment().Spec.Replicas != 3 {
		a.Error("a dry run changed something")
	}
	if out, _, err := runAs(a.T, server.Kubeconfig(), "install", flags...); err != nil ||
		strings.Count(out, " configured\n") != 1 {
		a.Errorf("%v\n%s", err, out)
	}
	if out, _, err := runAs(a.T, server.Kubeconfig(), "install", "--wait=false"); err != nil ||
		strings.Contains(out, " configured\n") {
		a.Errorf("without the flags: %v\n%s", err, out)
	}
	spec := a.deployment().Spec
	c := spec.Template.Spec.Containers[0]
	if *spec.Replicas != 2 || c.Image != "localhost/operator:hotfix" || spec.Template.Spec.NodeSelector["disk"] != "ssd" ||
		len(spec.Template.Spec.Tolerations) != 1 ||
		!slices.Equal(c.Args, []string{
			"--leader-elect=true", "--extensions=true", "--kube-api-qps=5", "--kube-api-burst=9",
		}) {
		a.Errorf("%d replicas, image %s, arguments %v, %+v", *spec.Replicas, c.Image, c.Args, spec.Template.Spec)
	}
	for _, want := range []string{"GOMAXPROCS=3", "OTEL_TRACES_SAMPLER=always_on"} {
		if !slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name+"="+v.Value == want }) {
			a.Errorf("no %s among %v", want, c.Env)
		}
	}
}

// checkPermissions checks that install restores the operator's permissions even if an administrator removed them.
func (a *administrator) checkPermissions() {
	a.Helper()
	roles := a.client.RbacV1().ClusterRoles()
	role, err := roles.Get(a.Context(), apis.OperatorName, metav1.GetOptions{})
	if err != nil {
		a.Fatal(err)
	}
	rules := role.Rules
	role.Rules = []rbacv1.PolicyRule{rules[0]}
	if _, err := roles.Update(a.Context(), role, metav1.UpdateOptions{FieldManager: "kubectl-edit"}); err != nil {
		a.Fatal(err)
	}
	if _, errOut, err := runAs(a.T, server.Kubeconfig(), "install", "--wait=false"); err != nil {
		a.Errorf("%v, %s", err, errOut)
	}
	if role, err = roles.Get(a.Context(), apis.OperatorName, metav1.GetOptions{}); err != nil ||
		len(role.Rules) != len(rules) {
		a.Errorf("%v, %d rules of %d", err, len(role.Rules), len(rules))
	}
}
