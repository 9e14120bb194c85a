// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
)

// Names of the components that other code refers to.
const (
	Etcd              = "etcd"
	Containerd        = "containerd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Kwok              = "kwok" // instead of containerd, the kubelet and kube-proxy where nodes are simulated
)

// Component is one program of the cluster. Its log has the same name.
type Component struct {
	Name string
	Args []string // the first is the program's path
	// NeedsAPI is set if the program exits or waits long unless the API server and containerd respond.
	NeedsAPI bool
}

const (
	pki    = confine.StateDir + "/pki/"
	config = confine.StateDir + "/config/"
	client = "http://127.0.0.1:2379" // etcd, on the node's loopback interface
)

// All lists the components in the order in which they start.
func (s Settings) All() []Component {
	if s.Simulated > 0 {
		return s.simulated()
	}
	return []Component{
		s.etcd(),
		{Name: Containerd, Args: s.program("containerd", "--config="+config+"containerd.toml")},
		{Name: APIServer, Args: s.program("kube-apiserver", s.apiServer()...)},
		{Name: ControllerManager, NeedsAPI: true, Args: s.program("kube-controller-manager", controllerManager()...)},
		s.scheduler(),
		{Name: "kubelet", NeedsAPI: true, Args: s.program("kubelet",
			"--config="+config+"kubelet.yaml", "--kubeconfig="+pki+"kubelet.kubeconfig",
			"--hostname-override="+s.Name, "--node-ip="+s.NodeIP)},
		{Name: "kube-proxy", NeedsAPI: true, Args: s.program("kube-proxy", "--config="+config+"kube-proxy.yaml")},
	}
}

func (s Settings) etcd() Component {
	return Component{Name: Etcd, Args: s.program("etcd",
		"--data-dir=/var/lib/etcd", "--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=default=http://127.0.0.1:2380", "--unsafe-no-fsync=true", "--quota-backend-bytes=4294967296")}
}

// clientLimits replace defaults that would limit a benchmark, such as 50 Pods a second for the scheduler.
func clientLimits() []string {
	return []string{"--kube-api-qps=1000", "--kube-api-burst=1000", "--leader-elect=false"}
}

func controllerManager() []string {
	return append(clientLimits(),
		"--kubeconfig="+pki+"kube-controller-manager.kubeconfig", "--use-service-account-credentials=true",
		"--service-account-private-key-file="+pki+"service-accounts.key", "--root-ca-file="+pki+"ca.crt",
		"--cluster-signing-cert-file="+pki+"ca.crt", "--cluster-signing-key-file="+pki+"ca.key",
		"--enable-hostpath-provisioner=true", "--flex-volume-plugin-dir=/var/lib/kubelet/volume-plugins",
		"--horizontal-pod-autoscaler-sync-period=2s", // the default is 15s
		"--bind-address=127.0.0.1")
}

func (s Settings) scheduler() Component {
	return Component{Name: "kube-scheduler", NeedsAPI: true, Args: s.program("kube-scheduler", append(clientLimits(),
		"--kubeconfig="+pki+"kube-scheduler.kubeconfig", "--bind-address=127.0.0.1")...)}
}

// Find returns the component with the name. The error lists the valid names.
func (s Settings) Find(name string) (Component, error) {
	var names []string
	for _, one := range s.All() {
		if one.Name == name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	return Component{}, fmt.Errorf("no component %q; there are %v", name, names)
}

func (s Settings) program(name string, args ...string) []string {
	return append([]string{confine.ProgramsDir + "/" + name}, args...)
}

func (s Settings) apiServer() []string {
	return []string{
		"--etcd-servers=" + client,
		"--advertise-address=" + s.NodeIP, fmt.Sprintf("--secure-port=%d", network.APIPort),
		"--service-cluster-ip-range=" + network.ServiceNetwork,
		"--tls-cert-file=" + pki + "apiserver.crt", "--tls-private-key-file=" + pki + "apiserver.key",
		"--client-ca-file=" + pki + "ca.crt",
		"--kubelet-certificate-authority=" + pki + "ca.crt",
		"--kubelet-client-certificate=" + pki + "kubelet-client.crt", "--kubelet-client-key=" + pki + "kubelet-client.key",
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + pki + "service-accounts.key",
		"--service-account-signing-key-file=" + pki + "service-accounts.key",
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
		// Benchmarks create hundreds of objects at once; the defaults are for fairness among many clients.
		"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
	}
}
