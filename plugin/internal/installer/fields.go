// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// keptField is a field that somebody else set and that stays.
type keptField struct{ path, manager string }

// dropForeignFields removes from want the fields that another field manager owns, and returns those whose value
// differs. A manager that owns the version label applied the whole manifest, so it does not count as another. An object
// that was never installed is taken over.
func dropForeignFields(want, have *unstructured.Unstructured) ([]keptField, error) {
	if have == nil || belongsToVersion(want) {
		return nil, nil
	}
	others := map[string]*fieldpath.Set{}
	installed := false
	for _, entry := range have.GetManagedFields() {
		set, err := fieldSet(&entry)
		if err != nil {
			return nil, fmt.Errorf("read who set the fields of %s: %w", install.ResourceName(have), err)
		}
		switch {
		case entry.Subresource != "" || set == nil:
		case isInstaller(entry.Manager, set):
			installed = true
		default:
			others[entry.Manager] = set
		}
	}
	if !installed {
		return nil, nil
	}
	var all []keptField
	for manager, set := range others {
		set.Leaves().Iterate(func(path fieldpath.Path) {
			if isSetByOptions(path) {
				return
			}
			ours, found := extractField(want.Object, path, true)
			if theirs, _ := extractField(have.Object, path, false); found && !reflect.DeepEqual(ours, theirs) {
				all = append(all, keptField{path.String(), manager})
			}
		})
	}
	slices.SortFunc(all, func(a, b keptField) int { return strings.Compare(a.path+a.manager, b.path+b.manager) })
	return all, nil
}

// isInstaller reports whether a manager applied the whole manifest.
func isInstaller(manager string, fields *fieldpath.Set) bool {
	return manager == apis.FieldOwnerPlugin ||
		fields.Has(fieldpath.MakePathOrDie("metadata", "labels", apis.LabelVersion))
}

// ownVariables returns those of a container's variables that were set with the installation. Others set the rest, and
// they stay as they are.
func ownVariables(have *appsv1.Deployment, container string, variables []corev1.EnvVar) ([]corev1.EnvVar, error) {
	owned := fieldpath.NewSet()
	for _, entry := range have.ManagedFields {
		set, err := fieldSet(&entry)
		if err != nil {
			return nil, fmt.Errorf("read who set the variables of %s: %w", have.Name, err)
		}
		if set != nil && entry.Subresource == "" && isInstaller(entry.Manager, set) {
			owned = owned.Union(set)
		}
	}
	return slices.DeleteFunc(slices.Clone(variables), func(variable corev1.EnvVar) bool {
		return !owned.Has(fieldpath.MakePathOrDie("spec", "template", "spec", "containers",
			fieldpath.KeyByFields("name", container), "env", fieldpath.KeyByFields("name", variable.Name), "value"))
	}), nil
}

// belongsToVersion reports whether an object must be as this version of the operator needs it, even if somebody changed
// it.
func belongsToVersion(object *unstructured.Unstructured) bool {
	return object.GetKind() == "CustomResourceDefinition" || object.GroupVersionKind().Group == "rbac.authorization.k8s.io"
}

// fieldSet returns the fields of an entry, or nil if it has none.
func fieldSet(entry *metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	if entry.FieldsV1 == nil {
		return nil, nil
	}
	set := &fieldpath.Set{}
	return set, set.FromJSON(entry.FieldsV1.GetRawReader())
}

// isSetByOptions reports whether the options determine a field: image, replicas and arguments were read from the
// installation, and of the variables those that nobody else set. Labels and selector identify the object as ours.
func isSetByOptions(path fieldpath.Path) bool {
	text := path.String()
	for _, program := range []string{apis.OperatorName, apis.AppRouter} {
		switch container := fmt.Sprintf(".spec.template.spec.containers[name=%q]", program); text {
		case ".spec.replicas", container + ".image", container + ".args":
			return true
		default:
			name, found := strings.CutPrefix(text, container+".env[name=\"")
			if name, _, _ = strings.Cut(name, `"`); found && !install.ManifestVariable(name) {
				return true
			}
		}
	}
	return strings.HasPrefix(text, ".spec.selector") || strings.HasPrefix(text, ".metadata.labels.")
}

// extractField returns the value at a path, and optionally removes it. Keys of list items are not returned.
func extractField(object any, path fieldpath.Path, remove bool) (content any, found bool) {
	for i, element := range path {
		switch {
		case element.FieldName != nil:
			fields, ok := object.(map[string]any)
			if !ok {
				return nil, false
			}
			if object, ok = fields[*element.FieldName]; !ok {
				return nil, false
			}
			if i == len(path)-1 {
				if isListKey(path) {
					return nil, false
				}
				if remove {
					delete(fields, *element.FieldName)
				}
				return object, true
			}
		case element.Key != nil:
			if object = listItem(object, element); object == nil {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return nil, false
}

// isListKey reports whether the last field of a path is a key of the list item that contains it.
func isListKey(path fieldpath.Path) bool {
	if len(path) < 2 || path[len(path)-2].Key == nil {
		return false
	}
	for _, field := range *path[len(path)-2].Key {
		if field.Name == *path[len(path)-1].FieldName {
			return true
		}
	}
	return false
}

// listItem returns the item of a list with the key of the path element, or nil.
func listItem(list any, element fieldpath.PathElement) any {
	items, ok := list.([]any)
	if !ok {
		return nil
	}
	for _, candidate := range items {
		fields, ok := candidate.(map[string]any)
		if ok && !slices.ContainsFunc(*element.Key, func(key value.Field) bool {
			return fmt.Sprint(fields[key.Name]) != fmt.Sprint(key.Value.Unstructured())
		}) {
			return fields
		}
	}
	return nil
}
