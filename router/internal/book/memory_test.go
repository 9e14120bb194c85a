// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"fmt"
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// BenchmarkMemory fills the stores of a book with 10,000 claims and their Sandboxes. It reports the bytes of a pair.
// The guide of the router states them.
func BenchmarkMemory(b *testing.B) {
	const pairs = 10_000
	for b.Loop() {
		is, err := New(fake.NewSimpleClientset(), nil)
		if err != nil {
			b.Fatal(err)
		}
		all, err := is.newInformers("")
		if err != nil {
			b.Fatal(err)
		}
		before := inUse()
		for i := range pairs {
			claim, sandbox := pair(i)
			record, _ := recordClaim(claim)
			if err := all.claims.GetStore().Add(record); err != nil {
				b.Fatal(err)
			}
			record, _ = recordSandbox(sandbox)
			if err := all.sandboxes.GetStore().Add(record); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(inUse()-before)/pairs, "B/sandbox")
		runtime.KeepAlive(all)
	}
}

func pair(i int) (*extensionsv1beta1.SandboxClaim, *agentsv1beta1.Sandbox) {
	name := fmt.Sprintf("python-pool-%05d", i)
	claim := builders.Claim(fmt.Sprintf("agent-session-%05d", i), "python",
		builders.WithUID(types.UID(fmt.Sprintf("%08d-4d7e-4e0c-9c8b-1a2b3c4d5e6f", i))),
		builders.WithResourceVersion("123456789"))
	claim.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{
		Name: name, UID: types.UID(fmt.Sprintf("%08d-aaaa-4e0c-9c8b-1a2b3c4d5e6f", i)),
	}
	sandbox := builders.Sandbox(name, builders.WithUID(claim.Status.SandboxStatus.UID), builders.OwnedBy(claim),
		builders.WithResourceVersion("123456789"), builders.WithSandboxStatus(agentsv1beta1.SandboxStatus{
			PodIPs: []string{fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)}, Service: name,
		}))
	return claim, sandbox
}

func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var is runtime.MemStats
	runtime.ReadMemStats(&is)
	return int64(is.HeapAlloc)
}
