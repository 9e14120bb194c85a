// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package shapes

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

// cluster is a namespace of one of the servers.
type cluster struct {
	*testing.T

	server    *apiserver.Server
	namespace string
	sandboxes *versioned.Clientset
}

// forEachShape runs a test against both shapes.
func forEachShape(t *testing.T, run func(t *testing.T, shape string, c *cluster)) {
	t.Helper()
	for _, shape := range []string{reference, newer} {
		t.Run(shape, func(t *testing.T) {
			server := servers[shape]
			run(t, shape, &cluster{
				T: t, server: server, namespace: server.Namespace(t), sandboxes: versioned.NewForConfigOrDie(server.Config()),
			})
		})
	}
}

// plugin runs one command line.
func (c *cluster) plugin(args ...string) (code int, stdout, stderr string) {
	c.Helper()
	var out, errOut bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	argv := append([]string{"kubectl-sandbox", "--kubeconfig", c.server.Kubeconfig(), "-n", c.namespace}, args...)
	code = plugin.Run(c.Context(), argv, streams, clock.RealClock{})
	return code, out.String(), errOut.String()
}

func (c *cluster) must(args ...string) (stdout, stderr string) {
	c.Helper()
	code, stdout, stderr := c.plugin(args...)
	if code != 0 {
		c.Fatalf("%q: code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

func (c *cluster) noError(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// spec returns an object's spec on the server, without the podTemplate, as JSON.
func (c *cluster) spec(group, resource, name string) string {
	c.Helper()
	all, err := dynamic.NewForConfig(c.server.Config())
	c.noError(err)
	gvr := agentsv1beta1.SchemeGroupVersion.WithResource(resource)
	gvr.Group = group
	object, err := all.Resource(gvr).Namespace(c.namespace).Get(c.Context(), name, metav1.GetOptions{})
	c.noError(err)
	spec, _, err := unstructured.NestedMap(object.Object, "spec")
	c.noError(err)
	delete(spec, "podTemplate")
	text, err := json.Marshal(spec)
	c.noError(err)
	return string(text)
}

// createPools creates a template with two pools, one of which has ready members.
func (c *cluster) createPools() {
	c.Helper()
	template := &extensionsv1beta1.SandboxTemplate{ObjectMeta: metav1.ObjectMeta{Name: "py"}}
	template.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "main", Image: "python"}}
	_, err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(c.namespace).Create(c.Context(), template,
		metav1.CreateOptions{})
	c.noError(err)
	for name, ready := range map[string]int32{"cool": 0, "warm": 3} {
		c.must("pool", "create", name, "--template", "py")
		api := c.sandboxes.ExtensionsV1beta1().SandboxWarmPools(c.namespace)
		pool, err := api.Get(c.Context(), name, metav1.GetOptions{})
		c.noError(err)
		pool.Status.ReadyReplicas = ready
		_, err = api.UpdateStatus(c.Context(), pool, metav1.UpdateOptions{})
		c.noError(err)
	}
}
