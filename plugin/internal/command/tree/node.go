// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
)

// node is an object in the tree, or one that is missing.
type node struct {
	name    string
	kind    schema.GroupVersionKind
	object  metav1.Object // nil if there is none, or if it may not be read
	status  any
	message string
	now     time.Time
	below   []*node
}

func columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string"},
		{Name: "Status", Type: "string"},
		{Name: "Age", Type: "string"},
		{Name: "Message", Type: "string"},
	}
}

// items returns the rows of the node and everything below it. Without all, it leaves out objects that do not exist or
// may not be read.
func (n *node) items(branch, trunk string, all bool) ([]printing.Item, error) {
	var items []printing.Item
	object, created := n.object, metav1.Time{}
	if object == nil {
		object = &metav1.PartialObjectMetadata{}
	} else {
		created = object.GetCreationTimestamp()
	}
	if n.object != nil || all {
		item, err := printing.NewItem(
			object, n.kind, branch+n.name, n.status, printing.Age(created, n.now), printing.OrNone(n.message),
		)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	for i, child := range n.below {
		own, rest := "├─ ", "│  "
		if i == len(n.below)-1 {
			own, rest = "└─ ", "   "
		}
		more, err := child.items(trunk+own, trunk+rest, all)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}
