// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
)

// AuditLog is the name of the audit log of the operator's requests in a cluster of simulated nodes. It is beside the
// components' logs.
const AuditLog = "audit.log"

// simulatedControllers are the controllers that a cluster of simulated nodes needs: those that delete owned objects and
// the contents of namespaces, and those that make namespaces and nodes usable. Others would add load to a measurement.
var simulatedControllers = []string{
	"garbage-collector-controller", "namespace-controller", "node-lifecycle-controller",
	"serviceaccount-controller", "root-ca-certificate-publisher-controller",
}

// simulated returns the components of a cluster whose nodes and Pods exist only in the API.
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
		{Name: Kwok, NeedsAPI: true, Args: s.program("kwok",
			"--kubeconfig="+pki+"admin.kubeconfig", "--config="+config+"kwok.yaml",
			"--manage-all-nodes=true", "--cidr="+network.PodNetwork, "--node-ip="+s.NodeIP, "--node-lease-duration-seconds=40")},
	}
}

// SimulatedNodes returns the names of the nodes that exist only in the API.
func (s Settings) SimulatedNodes() []string {
	names := make([]string, 0, s.Simulated)
	for i := range s.Simulated {
		names = append(names, fmt.Sprintf("%s-%d", s.Name, i))
	}
	return names
}

// Nodes returns the names of all nodes of a ready cluster.
func (s Settings) Nodes() []string {
	if s.Simulated > 0 {
		return s.SimulatedNodes()
	}
	return []string{s.Name}
}

// nodeManifest returns the manifest of the simulated nodes.
func (s Settings) nodeManifest() string {
	var out strings.Builder
	for _, name := range s.SimulatedNodes() {
		fmt.Fprintf(&out,
			"---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n  labels: {kubernetes.io/hostname: %s, type: kwok}\n", name,
			name)
	}
	return out.String()
}
