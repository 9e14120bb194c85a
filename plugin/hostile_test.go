// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// hostile has each kind of character that controls a terminal or is invisible: C0, DEL, C1, bidi, zero width and
// separators.
const hostile = "\x1b]0;owned\x07\x1b[2J\r\b\x7f\u009b2J\u0085\u202e\u2066\u200b\ufeff\u2028\nError: forged"

// linked are fields that refer to other objects or decide what a command does. The API server checks their characters.
var linked = []string{
	"Name",
	"GenerateName",
	"Namespace",
	"UID",
	"Kind",
	"APIVersion",
	"ResourceVersion",
	"Type",
	"Status",
	"Phase",
	"Format",
	"OperatingMode",
	"ShutdownPolicy",
	"FieldPath",
}

// poison appends hostile to every other text of an object: images, commands, reasons, messages, label values and
// annotations.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && (field.Type.Kind() != reflect.String || !slices.Contains(linked, field.Name)) {
				poison(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			key := entries.Key().String()
			if entries.Value().Kind() == reflect.String && !strings.HasSuffix(key, "-hash") &&
				!strings.HasSuffix(key, "-type") &&
				!strings.HasSuffix(key, "pod-name") {
				v.SetMapIndex(entries.Key(), reflect.ValueOf(entries.Value().String()+hostile))
			}
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(v.String() + hostile)
		}
	default:
	}
}

// hostileCluster has one of everything, and no text in it is harmless.
func hostileCluster(now time.Time) *fakecluster.Cluster {
	label := b.WithLabel("team", "blue")
	note := b.WithAnnotation("example.com/note", "words")
	pool := b.Pool("warm", "python", b.WithUID("p"), label, note)
	claim := b.Claim(
		"dev", "python", b.WithUID("c"), b.BoundTo("held", "10.0.0.1"), label, note, b.CreatedAt(now),
		b.WithCondition(
			"Ready", false, "DependenciesNotReady", "Pod exists with phase: Pending: Unschedulable: 0/1 nodes", now,
		),
	)
	waiting := b.WithCondition(
		"Ready", false, "DependenciesNotReady",
		"Pod exists with phase: Pending: container main: ImagePullBackOff: cannot pull image", now,
	)
	held := b.Sandbox(
		"held", b.WithUID("s"), b.OwnedBy(claim), b.WithVolume("data", "1Gi"),
		b.WithAnnotation("agents.x-k8s.io/sandbox-template-ref", "python"), waiting, b.CreatedAt(now),
	)
	member := b.Sandbox("warm-aaaaa", b.WithUID("m"), b.OwnedBy(pool), waiting, b.CreatedAt(now))
	own := b.Sandbox("own", b.WithUID("o"), label, note, waiting, b.CreatedAt(now), b.WithService(true))
	heldPod := b.Pod("held", b.WithUID("hp"), b.OwnedBy(held), b.Unschedulable("0/1 nodes are available"))
	memberPod := b.Pod("warm-aaaaa", b.WithUID("mp"), b.OwnedBy(member), b.OnNode("n"), b.ImagePullError())
	ownPod := b.Pod("own", b.WithUID("op"), b.OwnedBy(own), b.OnNode("n"), b.CrashLoop(1, 5))
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n"},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "k", Value: "v", Effect: corev1.TaintEffectNoSchedule}}},
	}
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: b.Namespace, Name: "e",
		},
		Type:           "Warning",
		Reason:         "Failed",
		Message:        "it failed",
		LastTimestamp:  metav1.NewTime(now),
		InvolvedObject: corev1.ObjectReference{Kind: "Sandbox", Namespace: b.Namespace, Name: "own", UID: "o"},
	}
	volume := b.PersistentVolumeClaim("data-held", "1Gi")
	template := b.Template("python", b.WithUID("t"), label, note, b.WithPodAnnotation("example.com/note", "words"))
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "agent-sandbox-system", Name: "agent-sandbox-controller",
			Labels: map[string]string{"app.kubernetes.io/version": "v1"},
		},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(1))},
	}
	deployment.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "agent-sandbox-controller", Image: "example.com/operator:v1"},
	}
	objects := []runtime.Object{
		pool, claim, held, member, own, heldPod, memberPod, ownPod, node, event, volume, template, deployment,
	}
	for _, object := range objects {
		poison(reflect.ValueOf(object))
	}
	return fakecluster.New(objects...)
}

// undefined returns the dynamic client of a cluster without our CustomResourceDefinitions.
func undefined() dynamic.Interface {
	kinds := map[schema.GroupVersionResource]string{
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList",
	}
	for resource, kind := range map[string]string{
		"sandboxtemplates": "SandboxTemplateList", "sandboxclaims": "SandboxClaimList",
		"sandboxwarmpools": "SandboxWarmPoolList",
	} {
		kinds[schema.GroupVersionResource{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: resource}] = kind
	}
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
}

// printed runs a command against a cluster and returns its whole output.
func printed(t *testing.T, cluster *fakecluster.Cluster, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var out, errOut bytes.Buffer
	f := &fake.Factory{
		In: b.Namespace, SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
		DiscoveryClient: cluster.Kubernetes.Discovery(), DynamicClient: undefined(),
		Config: &rest.Config{Host: "127.0.0.1:1"},
	}
	execute(
		ctx, newCommand(f, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut}), strings.Fields(line),
		f, &errOut,
	)
	if out.Len()+errOut.Len() == 0 {
		t.Errorf("%s printed nothing", line)
	}
	return out.String() + errOut.String()
}

// commandLines has a line for each command that prints text of a cluster.
var commandLines = []string{
	"list",
	"list -A",
	"list -o wide",
	"list -o yaml",
	"list dev own -o wide",
	"list claims -L team --show-labels",
	"list --members -q",
	"list -o custom-columns=A:.metadata.annotations,L:.metadata.labels,C:.status.conditions[*].message",
	"describe dev",
	"describe sandbox/own",
	"describe sandbox/warm-aaaaa",
	"status dev",
	"status sandbox/own sandbox/warm-aaaaa",
	"status dev -o yaml",
	"tree dev",
	"tree sandbox/own",
	"tree sandbox/warm-aaaaa",
	"pool list",
	"pool list -o wide",
	"pool list -o yaml",
	"pool describe warm",
	"pool plan warm --start 1s --burst 3",
	"pool plan warm --start 1s --burst 3 -o yaml",
	"template list",
	"template list -o wide",
	"template list -o yaml",
	"template describe python",
	"nodes",
	"nodes -o wide",
	"wait dev --for ready --timeout 0s",
	"wait sandbox/own --for finished --timeout 0s",
	"suspend dev",
	"resume dev --wait --timeout 0s",
	"extend dev --by 1m",
	"logs dev",
	"logs sandbox/own",
	"exec dev -- ls",
	"cp dev:/x /nonexistent/y",
	"cp own:/x /nonexistent/y",
	"port-forward own 8080 --timeout 0s",
	"ssh-config own",
	"token claim/dev",
	"create new --template python --wait --timeout 0s",
	"create again --image x --wait --timeout 0s -o yaml",
	"create third --template nope",
	"create fourth --template python --volume d=1Gi",
	"doctor",
	"version",
	"delete dev --yes",
	"pool scale warm --replicas 2",
	"pool rollout status warm --timeout 0s",
	"pool delete warm --yes",
	"template delete python --yes",
}

func TestNoTextFromTheClusterSteersTheTerminal(t *testing.T) {
	now := time.Now()
	refusals := map[string]error{
		"": nil,
		" refused": apierrors.NewForbidden(
			schema.GroupResource{Resource: "sandboxes"}, "dev", errors.New("a policy says "+hostile),
		),
		" in trouble": errors.New("an etcd says " + hostile),
	}
	for how, refusal := range refusals {
		for _, line := range commandLines {
			t.Run(line+how, func(t *testing.T) {
				cluster := hostileCluster(now)
				if refusal != nil {
					cluster.Refuse("*", "*", refusal)
				}
				got := printed(t, cluster, line)
				if strings.Contains(line, "-o yaml") { // the text is exact, and YAML escapes control characters
					got = strings.NewReplacer("\u202e", "", "\u2066", "", "\u200b", "").Replace(got)
				}
				if printable.Text(got) != got {
					t.Errorf("printed %q", got)
				}
			})
		}
	}
}

// Waiting prints these messages as progress: of a container that does not start, and of a Deployment without Pods.
func TestNoTextForWhoWaitsSteersTheTerminal(t *testing.T) {
	var said strings.Builder
	cli.NewWaitProgress(&said).PrinterFor("dev", await.Ready)(hostile)
	for _, absent := range []bool{true, false} {
		said.WriteString(factory.OperatorWarning("team", operator.Problem{Message: hostile, Absent: absent}))
	}
	if got := said.String(); printable.Text(got) != got || strings.Count(got, "\n") != 1 {
		t.Errorf("printed %q", got)
	}
}

func TestYAMLForProgramsIsExact(t *testing.T) {
	for _, line := range []string{"list own sandbox/held -o yaml", "template list -o yaml"} {
		var list struct {
			Items []struct {
				Metadata struct{ Annotations map[string]string }
			}
		}
		text := printed(t, hostileCluster(time.Now()), line)
		if err := yaml.Unmarshal([]byte(text), &list); err != nil || len(list.Items) == 0 ||
			list.Items[0].Metadata.Annotations["example.com/note"] != "words"+hostile {
			t.Errorf("%s: %v, %q", line, err, text)
		}
	}
}
