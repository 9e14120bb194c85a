// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// leaderElection is the name of the Role and RoleBinding for leader election, which are in the Lease's namespace.
const leaderElection = apis.OperatorName + "-leader-election"

//go:embed manifests/*.yaml
var files embed.FS

// order returns the files of the manifests in the order in which their objects must be created.
func (o Options) order() []string {
	all := []string{"namespace.yaml", "identity.yaml", "role.yaml", "binding.yaml"}
	if !o.CoreOnly {
		all = append(all, "extensions-role.yaml", "extensions-binding.yaml")
	}
	if secure, _ := o.Flag("metrics-secure"); secure == "true" {
		all = append(all, "secure-metrics.yaml")
	}
	return append(all, "leader-election.yaml", "users.yaml", "service.yaml", "deployment.yaml")
}

// Render returns the objects to create, in order: the CustomResourceDefinitions, the Namespace, then all others.
func Render(options Options) ([]*unstructured.Unstructured, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	options = options.Complete()
	typed, err := crds.All()
	if err != nil {
		return nil, err
	}
	hash, err := crds.Hash(typed) // without the choice of versions, which is not the operator's concern
	if err != nil {
		return nil, err
	}
	all, err := customResourceDefinitions(typed, options)
	if err != nil {
		return nil, err
	}
	for _, name := range options.order() {
		objects, err := readManifest(name)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	for _, object := range all {
		if err := customize(object, options, hash); err != nil {
			return nil, fmt.Errorf("render %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	if all, err = confineToNamespaces(all, options.WatchNamespaces); err != nil {
		return nil, err
	}
	routers, err := renderRouters(options)
	return append(all, routers...), err
}

// customResourceDefinitions returns the CustomResourceDefinitions to apply. They have no status.
func customResourceDefinitions(
	typed []*apiextensionsv1.CustomResourceDefinition, options Options,
) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, crd := range typed {
		if options.CoreOnly && !crds.IsCore(crd) {
			continue
		}
		crds.Serve(crd, options.ServedVersions)
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			return nil, fmt.Errorf("convert CRD %s: %w", crd.Name, err)
		}
		delete(content, "status")
		all = append(all, &unstructured.Unstructured{Object: content})
	}
	return all, nil
}

func readManifest(name string) ([]*unstructured.Unstructured, error) {
	raw, err := files.ReadFile("manifests/" + name)
	if err != nil {
		return nil, fmt.Errorf("read embedded manifest %s: %w", name, err)
	}
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), len(raw))
	for {
		var content runtime.RawExtension
		switch err := decoder.Decode(&content); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("parse embedded manifest %s: %w", name, err)
		case len(content.Raw) == 0 || bytes.Equal(content.Raw, []byte("null")):
			continue // a document that contains only the licence header
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(content.Raw); err != nil {
			return nil, fmt.Errorf("parse embedded manifest %s: %w", name, err)
		}
		all = append(all, object)
	}
}

// customize applies the options to one object. It puts the hash of the definitions into the Pod template, so that a
// change of the definitions replaces the operator's Pods.
func customize(object *unstructured.Unstructured, options Options, hash string) error {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, Labels())
	object.SetLabels(labels)

	switch object.GetKind() {
	case "Namespace":
		object.SetName(options.Namespace)
	case "ClusterRoleBinding", "RoleBinding":
		if err := setSubjectNamespace(object, options.Namespace); err != nil {
			return err
		}
	case "Deployment":
		if err := customizeDeployment(object, options); err != nil {
			return err
		}
		err := unstructured.SetNestedField(object.Object, hash,
			"spec", "template", "metadata", "annotations", apis.AnnotationCRDHash)
		if err != nil {
			return err
		}
	}
	if object.GetNamespace() != "" {
		object.SetNamespace(options.Namespace)
	}
	if elsewhere, _ := options.Flag("leader-election-namespace"); elsewhere != "" && object.GetName() == leaderElection {
		object.SetNamespace(elsewhere)
	}
	return nil
}

// setSubjectNamespace sets the namespace of a binding's subjects to the operator's namespace.
func setSubjectNamespace(object *unstructured.Unstructured, namespace string) error {
	subjects, _, err := unstructured.NestedSlice(object.Object, "subjects")
	if err != nil {
		return err
	}
	for _, subject := range subjects {
		fields, ok := subject.(map[string]any)
		if !ok {
			return errors.New("a subject is not an object")
		}
		fields["namespace"] = namespace
	}
	return unstructured.SetNestedSlice(object.Object, subjects, "subjects")
}

func customizeDeployment(object *unstructured.Unstructured, options Options) error {
	return customizeWorkload(object, apis.OperatorName, *options.Replicas, func(container map[string]any) error {
		container["image"] = options.Image
		return errors.Join(appendArgs(container, options.arguments()), addVariables(container, options.Env))
	})
}

// customizeWorkload sets the replicas of a Deployment, and changes one of its containers.
func customizeWorkload(
	object *unstructured.Unstructured, name string, replicas int32, change func(container map[string]any) error,
) error {
	if err := unstructured.SetNestedField(object.Object, int64(replicas), "spec", "replicas"); err != nil {
		return err
	}
	containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	if err != nil {
		return err
	}
	for _, container := range containers {
		fields, ok := container.(map[string]any)
		if !ok || fields["name"] != name {
			continue
		}
		if err := change(fields); err != nil {
			return err
		}
	}
	return unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers")
}

// appendArgs adds arguments to those of a container.
func appendArgs(container map[string]any, further []string) error {
	args, _, err := unstructured.NestedStringSlice(container, "args")
	if err != nil {
		return err
	}
	return unstructured.SetNestedStringSlice(container, append(args, further...), "args")
}

// addVariables adds environment variables to a container. An empty value is spelled out.
func addVariables(container map[string]any, variables []corev1.EnvVar) error {
	if len(variables) == 0 {
		return nil
	}
	env, _, err := unstructured.NestedSlice(container, "env")
	if err != nil {
		return err
	}
	for _, variable := range variables {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&variable)
		if err != nil {
			return err
		}
		if variable.ValueFrom == nil {
			fields["value"] = variable.Value
		}
		env = append(env, fields)
	}
	return unstructured.SetNestedSlice(container, env, "env")
}
