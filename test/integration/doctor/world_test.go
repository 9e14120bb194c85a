// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

const operatorNamespace = apis.OperatorNamespace

// The outcomes of a check, as doctor -o json spells them.
const (
	statusOK      = "ok"
	statusWarning = "warning"
	statusFailed  = "failed"
	statusUnknown = "unknown"
)

// finding is what a check of doctor found.
type finding struct {
	Check   string `json:"check"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Cure    string `json:"cure"`
}

// report is what doctor -o json prints.
type report struct {
	Healthy  bool      `json:"healthy"`
	Findings []finding `json:"findings"`
}

// runAs runs a command as the user of a kubeconfig.
func runAs(t *testing.T, kubeconfig string, args ...string) (out string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}
	cmd := plugin.NewCommand("kubectl sandbox", clock.RealClock{}, streams)
	cmd.SetArgs(append(args, "--kubeconfig", kubeconfig))
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), err
}

// runDoctor returns doctor's findings by check.
func runDoctor(t *testing.T, kubeconfig, namespace string, flags ...string) (map[string]finding, error) {
	t.Helper()
	out, failure := runAs(t, kubeconfig, append([]string{"doctor", "--namespace", namespace, "-o", "json"}, flags...)...)
	var got report
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("doctor printed %q (%v): %v", out, failure, err)
	}
	if got.Healthy != (failure == nil) {
		t.Errorf("healthy is %v, and the error is %v", got.Healthy, failure)
	}
	found := map[string]finding{}
	for _, f := range got.Findings {
		if first, twice := found[f.Check]; !twice || first.Status == statusOK {
			found[f.Check] = f
		}
		if f.Status == statusFailed && f.Cure == "" {
			t.Errorf("no cure: %+v", f)
		}
	}
	return found, failure
}

// installOperator installs the operator and creates what a cluster adds: an available Deployment, a leader, a
// StorageClass.
func installOperator(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	if _, err := runAs(t, server.Kubeconfig(), "install", "--wait=false"); err != nil {
		t.Fatal(err)
	}
	setAvailable(t, client, 1)
	holder, seconds := apis.OperatorName+"-abc_uuid", int32(15)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: apis.LeaseName}, Spec: coordinationv1.LeaseSpec{
		// no operator renews it
		HolderIdentity: &holder, LeaseDurationSeconds: &seconds,
		RenewTime: new(metav1.NewMicroTime(time.Now().Add(time.Hour))),
	}}
	if _, err := client.CoordinationV1().Leases(operatorNamespace).Create(t.Context(), lease,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{
		Name: "standard", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
	}, Provisioner: "test"}
	if _, err := client.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// setAvailable sets the replicas in the Deployment's status.
func setAvailable(t *testing.T, client kubernetes.Interface, replicas int32) {
	t.Helper()
	d, err := client.AppsV1().Deployments(operatorNamespace).Get(t.Context(), apis.OperatorName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.Status = appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas,
		AvailableReplicas: replicas,
	}
	if _, err := client.AppsV1().Deployments(operatorNamespace).UpdateStatus(t.Context(), d,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// setLease sets the holder and the renew time of the leader's Lease.
func setLease(t *testing.T, client kubernetes.Interface, holder string, at time.Time) {
	t.Helper()
	lease, err := client.CoordinationV1().Leases(operatorNamespace).Get(t.Context(), apis.LeaseName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lease.Spec.HolderIdentity, lease.Spec.RenewTime = &holder, new(metav1.NewMicroTime(at))
	if _, err := client.CoordinationV1().Leases(operatorNamespace).Update(t.Context(), lease,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// mustKubectl runs kubectl as an administrator and fails the test if kubectl fails.
func mustKubectl(t *testing.T, args ...string) {
	t.Helper()
	if _, stderr, err := server.Kubectl(t, "", args...); err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, stderr)
	}
}

// upgradeOperator runs upgrade, which is the cure of most faults, and makes the Deployment available again.
func upgradeOperator(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	if _, err := runAs(t, server.Kubeconfig(), "upgrade", "--wait=false"); err != nil {
		t.Fatal(err)
	}
	setAvailable(t, client, 1)
}
