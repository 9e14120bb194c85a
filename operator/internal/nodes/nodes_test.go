// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

func node(change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	n.Status.Conditions = []corev1.NodeCondition{
		{
			Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue,
		},
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Message: "ok"},
	}
	n.Status.Images = []corev1.ContainerImage{{Names: []string{"x"}}}
	if change != nil {
		change(n)
	}
	return n
}

func TestWhichNodesLeave(t *testing.T) {
	says := func(status corev1.ConditionStatus) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Status.Conditions[1].Status = status }
	}
	tests := map[string]struct {
		node *corev1.Node
		want bool
	}{
		"one that is Ready stays":     {node(nil), false},
		"one that is not Ready":       {node(says(corev1.ConditionFalse)), true},
		"one that is not heard of":    {node(says(corev1.ConditionUnknown)), true},
		"one that has never reported": {node(func(n *corev1.Node) { n.Status.Conditions = nil }), true},
		"one that is cordoned":        {node(func(n *corev1.Node) { n.Spec.Unschedulable = true }), true},
		"one that is being deleted": {
			node(func(n *corev1.Node) { n.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }), true,
		},
	}
	for name, tt := range tests {
		kept, err := trim(tt.node)
		small, ok := kept.(*corev1.Node)
		if err != nil || !ok || len(small.Status.Images) != 0 || len(small.Status.Conditions) > 1 {
			t.Fatalf("%s: kept is %+v, %v", name, kept, err)
		}
		if isLeaving(tt.node) != tt.want || isLeaving(small) != tt.want {
			t.Errorf("%s: leaving is not %t", name, tt.want)
		}
	}
}

// server answers requests for nodes with a status code and, if that is 200, a list with one node, "here".
func server(t *testing.T, code int) *rest.Config {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := code
		switch query := r.URL.Query(); {
		case query.Get("sendInitialEvents") != "" && code == http.StatusOK:
			code = http.StatusUnprocessableEntity // as servers that cannot stream lists
		case query.Get("watch") != "" && code == http.StatusOK:
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		here := node(nil)
		here.Name = "here"
		var answer any = &corev1.NodeList{
			TypeMeta: metav1.TypeMeta{
				Kind: "NodeList", APIVersion: "v1",
			},
			ListMeta: metav1.ListMeta{ResourceVersion: "1"},
			Items:    []corev1.Node{*here},
		}
		if code != http.StatusOK {
			answer = &metav1.Status{
				TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
				Reason: metav1.StatusReasonForbidden, Code: int32(code),
			}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.CloseClientConnections)
	return &rest.Config{Host: s.URL}
}

// started returns running Nodes whose server answers with that code.
func started(t *testing.T, code int, log logr.Logger) *Nodes {
	t.Helper()
	n, err := New(server(t, code), http.DefaultClient, log)
	if err != nil {
		t.Fatal(err)
	}
	if n.IsLeaving("gone") {
		t.Error("a node leaves before anything is known")
	}
	go func() { _ = n.Start(t.Context()) }()
	return n
}

func TestWhatIsKnownOfNodes(t *testing.T) {
	n := started(t, http.StatusOK, logr.Discard())
	err := wait.PollUntilContextTimeout(
		t.Context(), 5*time.Millisecond, 10*time.Second, true,
		func(context.Context) (bool, error) {
			return n.IsLeaving("gone"), nil
		},
	)
	if err != nil || n.IsLeaving("here") || n.IsLeaving("") {
		t.Errorf(
			"a node that is gone: %v; one that is here leaves: %t; none does: %t", err, n.IsLeaving("here"), n.IsLeaving(""),
		)
	}
}

func TestWithoutPermissionNobodyLeavesAndItIsSaidOnce(t *testing.T) {
	said := make(chan string, 10)
	n := started(t, http.StatusForbidden, funcr.New(func(_, text string) { said <- text }, funcr.Options{}))
	select {
	case text := <-said:
		if !strings.Contains(text, "no permission to watch nodes") {
			t.Error(text)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody is told")
	}
	n.handleWatchError(t.Context(), nil, apierrors.NewForbidden(corev1.Resource("nodes"), "", nil))
	if len(said) > 0 || n.IsLeaving("gone") {
		t.Errorf("said again %d times; leaving: %t", len(said), n.IsLeaving("gone"))
	}
}
