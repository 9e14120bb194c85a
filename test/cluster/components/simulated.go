// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
)

// AuditLog is the name of the file beside the components' logs in which a cluster of simulated nodes keeps the operator's requests.
const AuditLog = "audit.log"

// simulatedControllers are those of the controller manager that a cluster of simulated nodes has: what removes the owned and the contents of
// namespaces, and what makes namespaces and nodes usable. The others would only add load to a measurement.
var simulatedControllers = []string{
	"garbage-collector-controller", "namespace-controller", "node-lifecycle-controller",
	"serviceaccount-controller", "root-ca-certificate-publisher-controller",
}

// simulated lists the components of a cluster whose nodes and Pods exist in the API alone.
func (s Settings) simulated() []Component {
	apiServer := append(s.apiServer(),
		"--audit-policy-file="+config+"audit.yaml", "--audit-log-path="+confine.StateDir+"/logs/"+AuditLog,
		"--audit-log-maxsize=4096", "--audit-log-mode=blocking")
	manager := append(controllerManager(), "--controllers="+strings.Join(simulatedControllers, ","))
	return []Component{
		s.etcd(),
		{Name: APIServer, Args: s.program("kube-apiserver", apiServer...)},
		{Name: ControllerManager, NeedsAPI: true, Args: s.program("kube-controller-manager", manager...)},
		s.scheduler(),
		{Name: Kwok, NeedsAPI: true, Args: s.program("kwok", "--kubeconfig="+pki+"admin.kubeconfig", "--config="+config+"kwok.yaml",
			"--manage-all-nodes=true", "--cidr="+network.PodNetwork, "--node-ip="+s.NodeIP, "--node-lease-duration-seconds=40")},
	}
}

// SimulatedNodes names the nodes that exist in the API alone.
func (s Settings) SimulatedNodes() []string {
	names := make([]string, 0, s.Simulated)
	for i := range s.Simulated {
		names = append(names, fmt.Sprintf("%s-%d", s.Name, i))
	}
	return names
}

// Nodes names every node that a cluster has once it is ready.
func (s Settings) Nodes() []string {
	if s.Simulated > 0 {
		return s.SimulatedNodes()
	}
	return []string{s.Name}
}

// nodeManifest makes the simulated nodes.
func (s Settings) nodeManifest() string {
	var out strings.Builder
	for _, name := range s.SimulatedNodes() {
		fmt.Fprintf(&out, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n  labels: {kubernetes.io/hostname: %s, type: kwok}\n", name, name)
	}
	return out.String()
}
