// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func client(cluster *fakecluster.Cluster) *pool.Client {
	return pool.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now))
}

func TestReading(t *testing.T) {
	cluster := fakecluster.New(warm(), builders.Template("python"))
	c := client(cluster)
	if p, err := c.Pool(t.Context(), builders.Namespace, "warm"); err != nil || p.Name != "warm" {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := c.Template(t.Context(), builders.Namespace, "python"); err != nil || p.Name != "python" {
		t.Errorf("%v, %v", p, err)
	}
	_, err := c.Pool(t.Context(), builders.Namespace, "nope")
	if !resolve.Is(err, resolve.NotFound) || !strings.Contains(err.Error(), `no pool is called "nope"`) {
		t.Errorf("a pool that is not there: %v", err)
	}
	if _, err := c.Template(t.Context(), builders.Namespace, "nope"); !resolve.Is(err, resolve.NotFound) {
		t.Errorf("a template that is not there: %v", err)
	}
	if pools, err := c.Pools(t.Context(), "", ""); err != nil || len(pools) != 1 {
		t.Errorf("%v, %v", pools, err)
	}
	cluster.Refuse("*", "*", fakecluster.NotServed())
	for what, err := range map[string]error{
		"read a pool":       second(c.Pool(t.Context(), builders.Namespace, "warm")),
		"read a template":   second(c.Template(t.Context(), builders.Namespace, "python")),
		"list pools":        second(c.Pools(t.Context(), "", "")),
		"list templates":    second(c.Templates(t.Context(), "", "")),
		"create a pool":     second(c.CreatePool(t.Context(), warm(), false)),
		"create a template": second(c.CreateTemplate(t.Context(), builders.Template("python"), false)),
	} {
		if !resolve.Is(err, resolve.NotInstalled) {
			t.Errorf("%s where the kind is not served: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestFactsLeaveOutWhatMayNotBeRead(t *testing.T) {
	cluster := fakecluster.New(
		warm(), builders.Template("python"), builders.Claim("dev", "python"), builders.Sandbox("own"),
	)
	f, err := client(cluster).Inventory(t.Context(), builders.Namespace)
	if err != nil || len(f.Templates) != 1 || len(f.Claims) != 1 || len(f.Sandboxes) != 1 || !f.Now.Equal(now) {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, resource := range []string{apis.ResourceTemplates, apis.ResourceClaims, apis.ResourceSandboxes} {
		cluster.Refuse("list", resource, fakecluster.Forbidden("list", resource, apis.GroupExtensions))
	}
	if f, err = client(cluster).Inventory(
		t.Context(), builders.Namespace,
	); err != nil || f.Templates != nil || f.Claims != nil ||
		f.Sandboxes != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err = client(fakecluster.New()).Inventory(
		t.Context(), builders.Namespace,
	); err != nil || f.Templates == nil || f.Claims == nil ||
		f.Sandboxes == nil {
		t.Errorf("nothing is not the same as nothing to be seen: %+v, %v", f, err)
	}
	for _, resource := range []string{apis.ResourceTemplates, apis.ResourceClaims, apis.ResourceSandboxes} {
		broken := fakecluster.New().Refuse("list", resource, errors.New("disk full"))
		if _, err := client(broken).Inventory(t.Context(), builders.Namespace); err == nil {
			t.Errorf("%s: a failure was taken for a lack of permission", resource)
		}
	}
}

func TestScaleChangesThatPoolOnly(t *testing.T) {
	cluster := fakecluster.New(warm())
	if err := client(cluster).Scale(t.Context(), warm(), 7, false); err != nil {
		t.Fatal(err)
	}
	var patch struct {
		Metadata struct{ UID string }
		Spec     struct{ Replicas int }
	}
	action := cluster.Sandboxes.Actions()[0].(clienttesting.PatchActionImpl)
	if err := json.Unmarshal(action.Patch, &patch); err != nil || patch.Metadata.UID != "p" || patch.Spec.Replicas != 7 {
		t.Errorf("%s, %v", action.Patch, err)
	}
	if p, err := client(cluster).Pool(t.Context(), builders.Namespace, "warm"); err != nil || *p.Spec.Replicas != 7 {
		t.Errorf("%v, %v", p, err)
	}
}

func TestDeletionIsOfOneUIDAndWhatIsGoneIsDeleted(t *testing.T) {
	cluster := fakecluster.New(warm(), builders.Template("python"))
	c := client(cluster)
	for range 2 {
		if err := errors.Join(
			c.DeletePool(t.Context(), builders.Namespace, "warm", "p"),
			c.DeleteTemplate(t.Context(), builders.Namespace, "python", "t"),
		); err != nil {
			t.Fatal(err)
		}
	}
	options := cluster.Sandboxes.Actions()[0].(clienttesting.DeleteActionImpl).DeleteOptions
	if *options.Preconditions.UID != "p" || *options.PropagationPolicy != metav1.DeletePropagationBackground {
		t.Errorf("%+v", options)
	}
	conflict := apierrors.NewConflict(
		schema.GroupResource{Resource: apis.ResourceWarmPools}, "warm", errors.New("another UID"),
	)
	if err := client(fakecluster.New(warm()).Refuse("delete", "*", conflict)).DeletePool(
		t.Context(), builders.Namespace, "warm", "q",
	); !apierrors.IsConflict(err) {
		t.Errorf("got %v", err)
	}
}

func TestADryRunIsTheServers(t *testing.T) {
	cluster := fakecluster.New()
	if _, err := client(cluster).CreatePool(t.Context(), warm(), true); err != nil {
		t.Fatal(err)
	}
	options := cluster.Sandboxes.Actions()[0].(clienttesting.CreateActionImpl).CreateOptions
	if len(options.DryRun) != 1 || options.FieldValidation != metav1.FieldValidationStrict {
		t.Errorf("%+v", options)
	}
}
